# An independent implementation of DCSVM on top of e1071, to compare with: one machine per pair of classes, the
# All-Predictions table, the tree by the paper's rule (purity, then balance, then score), the vote.
#   Rscript dcsvm.R FOLDER ROWS COLUMNS COST GAMMA TOLERANCE SCALING THETA...
# FOLDER holds X (doubles, column by column), y (integers 1..k), train and test (indices from 1). SCALING is
# "pair": features are standardised over the rows of the two classes, one that is constant there is only
# centred; or "e1071": the scaling of e1071, which is the same unless a feature is constant, in
# which case it scales no feature. THETA are fractions.
suppressPackageStartupMessages(library(e1071))
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
n <- as.integer(arguments[2])
d <- as.integer(arguments[3])
cost <- as.numeric(arguments[4])
gamma <- as.numeric(arguments[5])
tolerance <- as.numeric(arguments[6])
scaling <- arguments[7]
thetas <- as.numeric(arguments[-(1:7)])

read <- function(name, type, count) readBin(file.path(folder, name), type, count)
write_numbers <- function(numbers, name) writeBin(as.double(numbers), file.path(folder, name))
x <- matrix(read("X", "double", n * d), n, d)
y <- read("y", "integer", n)
train <- read("train", "integer", n)
test <- read("test", "integer", n)
k <- max(y)
pairs <- t(combn(k, 2)) # (1,2), (1,3), ... (k-1,k)
place <- matrix(0L, k, k)
place[pairs] <- seq_len(nrow(pairs))

# ---- the machines: values at all rows, positive for i
ask_all <- function(i, j) {
  rows <- train[y[train] == i | y[train] == j]
  z <- x
  if (scaling == "pair") {
    centre <- colMeans(x[rows, , drop = FALSE])
    spread <- apply(x[rows, , drop = FALSE], 2, sd)
    spread[spread <= 1e-12 * abs(centre)] <- 1
    z <- scale(x, centre, spread)
  }
  fit <- suppressWarnings(svm(
    z[rows, , drop = FALSE], factor(y[rows]),
    scale = scaling == "e1071", cost = cost, gamma = gamma, tolerance = tolerance, fitted = FALSE
  ))
  values <- attr(predict(fit, z, decision.values = TRUE), "decision.values")
  # The column is named "a/b" when positive values mean a.
  sign <- if (colnames(values) == paste(i, j, sep = "/")) 1 else -1
  list(values = sign * values[, 1], support = fit$tot.nSV, scaled = scaling == "pair" || any(fit$scaled))
}
machines <- lapply(seq_len(nrow(pairs)), function(m) ask_all(pairs[m, 1], pairs[m, 2]))
values <- sapply(machines, function(machine) machine$values)
support <- sapply(machines, function(machine) machine$support)

# ---- the table: the share of the training rows of class l that machine m sends to i
to_i <- sapply(seq_len(k), function(l) {
  colMeans(values[train[y[train] == l], , drop = FALSE] > 0)
})
to_i <- matrix(to_i, nrow(pairs), k)
score <- sapply(seq_len(nrow(pairs)), function(m) (to_i[m, pairs[m, 1]] + 1 - to_i[m, pairs[m, 2]]) / 2)

# ---- the choice of a machine, and the two lists
choose <- function(classes, theta) {
  inside <- which(pairs[, 1] %in% classes & pairs[, 2] %in% classes)
  on_i <- rowSums(to_i[inside, classes, drop = FALSE] > theta)
  on_j <- rowSums(1 - to_i[inside, classes, drop = FALSE] > theta)
  purity <- on_i + on_j - length(classes)
  balance <- pmin(length(classes) - on_i, length(classes) - on_j)
  inside[order(purity, -balance, -round(score[inside], 12), inside)[1]]
}
side <- function(classes, m, winner, loser, share, theta) {
  classes[classes == winner | (classes != loser & share[classes] > theta)]
}
split_at <- function(classes, theta) {
  m <- choose(classes, theta)
  i <- pairs[m, 1]
  j <- pairs[m, 2]
  list(
    m = m,
    i = side(classes, m, i, j, to_i[m, ], theta),
    j = side(classes, m, j, i, 1 - to_i[m, ], theta)
  )
}

# ---- the tree, equal sets of classes written once
tree <- function(theta) {
  found <- character(0)
  grow <- function(classes) {
    key <- paste(classes, collapse = ",")
    if (length(classes) == 1 || key %in% names(found)) return(invisible())
    node <- split_at(classes, theta)
    found[key] <<- sprintf(
      "%s: %d/%d -> %s | %s", key, pairs[node$m, 1], pairs[node$m, 2],
      paste(node$i, collapse = ","), paste(node$j, collapse = ",")
    )
    grow(node$i)
    grow(node$j)
  }
  grow(seq_len(k))
  unname(found)
}

# ---- prediction: rows go down together
predict_rows <- function(rows, theta) {
  label <- decisions <- visited <- integer(n)
  descend <- function(rows, classes) {
    if (length(rows) == 0) return(invisible())
    if (length(classes) == 1) {
      label[rows] <<- classes
      return(invisible())
    }
    node <- split_at(classes, theta)
    decisions[rows] <<- decisions[rows] + 1L
    visited[rows] <<- visited[rows] + support[node$m]
    is_i <- values[rows, node$m] > 0
    descend(rows[is_i], node$i)
    descend(rows[!is_i], node$j)
  }
  descend(rows, seq_len(k))
  cbind(label, decisions, visited)[rows, , drop = FALSE]
}

# ---- the vote: of equals the first in the order of `preference`
vote <- function(rows, preference) {
  winner <- ifelse(values[rows, , drop = FALSE] > 0, rep(pairs[, 1], each = length(rows)),
    rep(pairs[, 2], each = length(rows))
  )
  votes <- sapply(preference, function(l) rowSums(matrix(winner == l, length(rows))))
  preference[apply(matrix(votes, length(rows)), 1, which.max)]
}

write_numbers(values, "values")
write_numbers(support, "support")
write_numbers(to_i, "table")
write_numbers(sapply(machines, function(machine) machine$scaled), "scaled")
write_numbers(vote(test, seq_len(k)), "vote_sorted")
write_numbers(vote(test, unique(y[train])), "vote_seen")
for (t in seq_along(thetas)) {
  writeLines(tree(thetas[t]), file.path(folder, paste0("tree", t)))
  write_numbers(predict_rows(test, thetas[t]), paste0("predicted", t))
}
