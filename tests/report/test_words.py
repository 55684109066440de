"""The words that a page explains are those that it uses."""

from importlib.resources import files

from dcsvm.report.words import WORDS


def test_words_are_used_on_the_page():
    template = files("dcsvm.report").joinpath("template")
    scripts = [file for file in template.iterdir() if file.name.endswith(".js")]
    text = " ".join(file.read_text(encoding="utf-8") for file in scripts)
    text += " ".join(meaning for _, meaning in WORDS) + "All-Predictions table"
    for word, meaning in WORDS:
        assert word.split(" (")[0].lower() in text.lower()
        assert meaning.endswith(".")
