"""Files of labeled data: public data sets, questions with known answers, labels."""
