"""What Spark printed, read back into our typed plans, planned again, and held against the text.

terms.py        a printed expression as a tree of terms: where each begins and ends, nothing typed yet
literals.py     the value and type of a constant that stands in a text without quotes
expressions.py  terms to typed expressions; what is not known becomes an opaque expression
forms.py        functions whose printed text is their own
lifting/        a physical plan to the logical one that it was planned from
columns.py      the types of columns, from everything that a text says of them
operators.py    one operator's line to the operator, its children given
plans.py        a tree of operators to a plan, with what was opaque and inferred
"""
