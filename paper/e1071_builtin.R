# The built-in classifier of e1071 with all its defaults, as the paper ran it.
#   Rscript e1071_builtin.R FOLDER ROWS COLUMNS
# FOLDER holds X (doubles, column by column), y (integers), train and test (indices from 1, in the order in
# which e1071 sees them). Writes `predicted`, the classes of the test rows.
suppressPackageStartupMessages(library(e1071))
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
n <- as.integer(arguments[2])
d <- as.integer(arguments[3])
read <- function(name, type, count) readBin(file.path(folder, name), type, count)
x <- matrix(read("X", "double", n * d), n, d)
y <- factor(read("y", "integer", n))
train <- read("train", "integer", n)
test <- read("test", "integer", n)
# e1071 warns that it does not scale if a feature is constant.
fit <- suppressWarnings(svm(x[train, ], y[train], fitted = FALSE))
predicted <- predict(fit, x[test, , drop = FALSE])
writeBin(as.integer(as.character(predicted)), file.path(folder, "predicted"))
writeBin(as.integer(c(fit$tot.nSV, any(fit$scaled))), file.path(folder, "about"))
