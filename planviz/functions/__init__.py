"""Spark's functions by name: from a call to the expression that it means.

registry.py        `build(name, arguments)`, with the counts of arguments and those given by name
signatures/        the functions that one line says all about: parameters, result, implicit casts
builders/          those that need code
operators.py       operators that are called as functions
number_formats.py  the formats of to_number and to_char
"""
