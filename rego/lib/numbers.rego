# Arithmetic that can't lose a term: a comprehension drops what is undefined, so a sum says how many terms it expects.
package charter.numbers

total(terms, expected) := sum(terms) if {
	count(terms) == expected
	every term in terms {
		is_number(term)
	}
}

# Parts in a hundred of a whole, as text with two decimals of the factor: 171 of 100 is "1.71".
factor(part, whole) := sprintf("%d.%d%d", [floor(hundredths / 100), floor(hundredths / 10) % 10, hundredths % 10]) if {
	whole > 0
	hundredths := floor((part * 100) / whole)
} else := "infinitely many"
