package email

import "strings"

// Default returns the template of tenants who wrote none for the kind, in one of Languages, or else in English. It is
// empty for an unknown kind.
func Default(kind Kind, language Language) Template {
	w := wordsIn(language)
	begin, known := w.emails[kind]
	if !known {
		return Template{}
	}
	text := w.hello + "\n\n" + begin.text + "\n" + w.body(kind) + farewell
	if kind.Unsubscribable() {
		text += "{{#unsubscribe_url}}\n\n" + w.unsubscribe + ": {{unsubscribe_url}}\n{{/unsubscribe_url}}\n"
	}
	return Template{Subject: begin.subject, Text: text, HTML: w.paragraphs(text)}
}

// body returns what stands between the opening of an email and its farewell.
func (w words) body(kind Kind) string {
	about := "\n" + w.details()
	reference := line("reference", w.reference)
	manage := "{{#manage_url}}\n\n" + w.booking + ": {{manage_url}}\n{{/manage_url}}\n"
	lookForward := "\n" + w.lookForward + "\n"
	price, due := line("price", w.price), line("amount_due", w.due)
	overpaid := line("amount_overpaid", w.overpaid)
	balance := price + line("amount_paid", w.paid) + line("amount_refunded", w.refunded) + due + overpaid
	switch kind {
	case BookingHeld:
		return about + price + due + reference + manage
	case BookingConfirmed:
		return about + price + due + reference + manage + lookForward
	case BookingRescheduled:
		surplus := "{{#amount_overpaid}}\n\n" + w.surplus + "\n{{/amount_overpaid}}\n"
		return about + reference + surplus + manage + lookForward
	case BookingReminder:
		return about + reference + manage + lookForward
	case BookingCancelled:
		return about + reference + manage
	case BookingWithdrawn:
		return about + reference
	case PaymentBalanceDue:
		return about + price + reference + manage + "\n" + w.thanks + "\n"
	case PaymentSucceeded, PaymentDeclined, PaymentRefunded:
		return about + balance + reference + manage
	default: // a greeting, or a follow-up: the opening says it all
		return ""
	}
}

// details tells of the booking. A section's tag on a line of its own leaves no line.
func (w words) details() string {
	return `{{service_name}}
{{when}}{{#start_time}} ({{time_zone}}){{/start_time}}
{{#resource_name}}
{{resource_name}}
{{/resource_name}}
` + line("party_size", w.people)
}

// line is a line that is there if a variable has a value.
func line(variable, label string) string {
	return "{{#" + variable + "}}\n" + label + ": {{" + variable + "}}\n{{/" + variable + "}}\n"
}

// farewell says who writes, where people come, and how they reach the tenant.
const farewell = `
{{tenant_name}}
{{#address}}
{{address}}
{{/address}}
{{#contact}}
{{contact}}
{{/contact}}
`

// paragraphs returns a default text as HTML. The texts have no character that HTML escapes.
func (w words) paragraphs(text string) string {
	// Links of the URLs.
	text = strings.NewReplacer(w.booking+": {{manage_url}}", `<a href="{{manage_url}}">`+w.booking+`</a>`,
		"{{unsubscribe_url}}", `<a href="{{unsubscribe_url}}">`+w.unsubscribeLink+`</a>`,
		"{{address}}", severalLines("address"), "{{contact}}", severalLines("contact")).Replace(text)
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"" + w.code +
		"\">\n<body style=\"font-family: sans-serif; line-height: 1.5\">\n<p>\n")
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
			b.WriteString("</p>\n<p>\n")
		case isSection(line):
			b.WriteString(line + "\n")
		default:
			b.WriteString(line + "<br>\n")
		}
	}
	b.WriteString("</p>\n</body>\n</html>\n")
	return b.String()
}

// severalLines shows a variable that has lines of its own.
func severalLines(variable string) string {
	return `<span style="white-space: pre-line">{{` + variable + `}}</span>`
}

// isSection reports whether a line is the tag of a section and nothing else.
func isSection(line string) bool {
	return (strings.HasPrefix(line, "{{#") || strings.HasPrefix(line, "{{/")) &&
		strings.Index(line, "}}") == len(line)-2
}
