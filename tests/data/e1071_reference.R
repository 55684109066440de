# Decision values of R's e1071 for each pair of iris classes, trained on the rows of the pair alone,
# with its default of scaling inside every fit. Writes e1071_iris.json, which test_scaling.py reads.
#   Rscript tests/e1071_reference.R > tests/e1071_iris.json
library(e1071)
x <- as.matrix(iris[, 1:4])
classes <- levels(iris$Species)
pairs <- list(c(1, 2), c(1, 3), c(2, 3))
columns <- lapply(pairs, function(pair) {
  rows <- iris$Species %in% classes[pair]
  fit <- svm(x[rows, ], factor(iris$Species[rows]), cost = 2, gamma = 0.3, tolerance = 1e-5)
  values <- attr(predict(fit, x, decision.values = TRUE), "decision.values")
  # e1071 names the column "a/b" when positive values mean a.
  sign <- if (colnames(values) == paste(classes[pair[1]], classes[pair[2]], sep = "/")) 1 else -1
  sprintf("[%s]", paste(sprintf("%.6f", sign * values[, 1]), collapse = ", "))
})
cat("[", paste(columns, collapse = ",\n"), "]\n", sep = "")
