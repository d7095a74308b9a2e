package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func number(text string) json.RawMessage { return json.RawMessage(text) }

// numbersBeyond are integers that no field of Holdfast takes, whatever its bounds.
var numbersBeyond = []value{
	{"−1", -1, "too_small"},
	{"−2^31", number("-2147483648"), "too_small"},
	{"−2^63", number("-9223372036854775808"), "too_small"},
	{"−2^64", number("-18446744073709551616"), "too_small"},
	{"2^63−1", number("9223372036854775807"), "too_large"},
	{"2^63", number("9223372036854775808"), "too_large"},
	{"2^64", number("18446744073709551616"), "too_large"},
	{"1e300", number("1e300"), "too_large"},
	{"1.5", 1.5, "wrong_type"},
	{"a number in quotes", "1", "wrong_type"},
}

// unreadable are texts that nobody can read.
var unreadable = []value{
	{"a blank", " ", "blank"}, {"blanks of other kinds", "\u00a0\u2003\u3000", "blank"}, {"invisible characters", "\u200b\ufeff", "blank"},
	{"a line break", "Ada\nLovelace", "control_character"}, {"a tab", "Ada\t", "control_character"},
	{"an escape", "\x1b[31mAda", "control_character"},
	{"DEL", "Ada\x7f", "control_character"}, {"a C1 control", "Ada\u0085", "control_character"},
	{"a line separator", "Ada\u2028", "control_character"}, {"a paragraph separator", "Ada\u2029", "control_character"},
	{"a right-to-left override", "Ada\u202eevil", "control_character"}, {"an isolate", "\u2066Ada", "control_character"},
}

// bounds are values beyond the bounds of each field.
func bounds() map[string]map[string][]value {
	long := strings.Repeat("x", 10_000)
	numbers := func(low, high int64) []value {
		return append([]value{
			{"one below the least", low - 1, "too_small"}, {"one above the most", high + 1, "too_large"},
		}, numbersBeyond...)
	}
	texts := func(most int) []value {
		return append([]value{
			{"no text", "", "too_short"}, {"one too many", strings.Repeat("ü", most+1), "too_long"},
			{"10,000 characters", long, "too_long"},
		}, unreadable...)
	}
	pages := []value{
		{"no text", "", "too_short"}, {"no address", "x", "pattern"}, {"a blank", "https://example.com/a b", "pattern"},
		{"2,001 characters", "https://example.com/" + strings.Repeat("x", 1981), "too_long"},
		{"without TLS", "http://example.com/", "not_https"}, {"another scheme", "ftp://example.com/", "pattern"},
		{"a password", "https://a:b@example.com/", "invalid_format"},
	}
	ids := []value{
		{"no text", "", "invalid_format"}, {"no UUID", "x", "invalid_format"},
		{"10,000 characters", long, "invalid_format"}, {"a UUID and more", uuid.NewString() + "0", "invalid_format"},
		{"a UUID in braces", "{" + uuid.NewString() + "}", "invalid_format"}, {"a URN", "urn:uuid:" + uuid.NewString(), "invalid_format"},
		{"32 digits", strings.ReplaceAll(uuid.NewString(), "-", ""), "invalid_format"},
		{"36 digits", strings.Repeat("0", 36), "invalid_format"},
	}
	dates := []value{
		{"no text", "", "invalid_format"},
		{"a year of five digits", "12027-07-01", "invalid_format"},
		{"the year 300000", "300000-01-01", "invalid_format"},
		{"infinity", "infinity", "invalid_format"},
		{"minus infinity", "-infinity", "invalid_format"},
		{"zeros", "0000-00-00", "invalid_format"},
		{"the 30th of February", "2028-02-30", "invalid_format"},
		{"the 29th of February of a common year", "2027-02-29", "invalid_format"},
		{"before Christ", "0044-03-15 BC", "invalid_format"},
		{"a time", "2027-07-01T00:00:00Z", "invalid_format"},
		{"a date and blanks", " 2027-07-01", "invalid_format"},
		{"other digits", "２０２７-07-01", "invalid_format"},
		{"a negative year", "-0001-01-01", "invalid_format"},
		{"10,000 characters", long, "invalid_format"},
		{"the year 0", "0000-01-01", "out_of_range"},
		{"the year 1", "0001-01-01", "out_of_range"},
		{"the year 9999", "9999-12-31", "out_of_range"},
	}
	clocks := []value{
		{"24:01", "24:01", "pattern"},
		{"25:00", "25:00", "pattern"},
		{"12:60", "12:60", "pattern"},
		{"9:00", "9:00", "pattern"},
		{"seconds", "09:00:00", "pattern"},
		{"a line break", "09:00\n", "pattern"},
		{"no text", "", "pattern"},
		{"10,000 characters", long, "pattern"},
	}
	weekdays := []value{
		{"8", "8", "not_one_of"},
		{"the number 8", 8, "wrong_type"},
		{"capitals", "Monday", "not_one_of"},
		{"no text", "", "not_one_of"},
	}
	emails := []value{
		{"no text", "", "too_short"},
		{"no at", "ada.example.com", "invalid_format"},
		{"two ats", "ada@lovelace@example.com", "invalid_format"},
		{"nothing before the at", "@example.com", "invalid_format"},
		{"nothing after the at", "ada@", "invalid_format"},
		{"a name and an address", "Ada <ada@example.com>", "invalid_format"},
		{"two addresses", "ada@example.com, bob@example.com", "invalid_format"},
		{"a blank", "ada lovelace@example.com", "invalid_format"},
		{"a change of the direction", "\u202eada@example.com", "invalid_format"},
		{"a line break and a header", "ada@example.com\r\nBcc: bob@example.com", "invalid_format"},
		{"65 characters before the at", strings.Repeat("a", 65) + "@example.com", "invalid_format"},
		{"64 characters in a part of the domain", "ada@" + strings.Repeat("a", 64) + ".example.com", "invalid_format"},
		{"a host's address", "ada@[10.0.0.5]", "invalid_format"},
		{"10,000 characters", long + "@example.com", "too_long"},
	}
	zones := []value{
		{"no text", "", "too_short"},
		{"Local", "Local", "unknown_time_zone"},
		{"a path", "../etc", "unknown_time_zone"},
		{"a path in a zone", "Europe/../Europe/Berlin", "unknown_time_zone"},
		{"an absolute path", "/etc/localtime", "unknown_time_zone"},
		{"a backslash", `Europe\Berlin`, "unknown_time_zone"},
		{"no zone", "Europe/Atlantis", "unknown_time_zone"},
		{"an offset", "+02:00", "unknown_time_zone"},
		{"a directory", "Europe", "unknown_time_zone"},
		{"small letters", "europe/berlin", "unknown_time_zone"},
		{"no place's zone", "Factory", "unknown_time_zone"},
		{"the host's zone", "localtime", "unknown_time_zone"},
		{"the host's rules", "posixrules", "unknown_time_zone"},
		{"a zone with leap seconds", "right/Europe/Berlin", "unknown_time_zone"},
		{"a zone without leap seconds", "posix/UTC", "unknown_time_zone"},
		{"10,000 characters", long, "too_long"},
	}
	times := []value{
		{"no text", "", "invalid_format"}, {"no offset", "2027-07-01T10:00:00", "invalid_format"},
		{"a date", "2027-07-01", "invalid_format"},
		{"the 30th of February", "2027-02-30T10:00:00Z", "invalid_format"}, {"the year 300000", "300000-07-01T10:00:00Z", "invalid_format"},
		{"10,000 characters", long, "invalid_format"},
	}
	starts := []value{
		{"no text", "", "invalid_format"},
		{"no offset", "2027-07-01T10:00:00", "invalid_format"},
		{"a date", "2027-07-01", "invalid_format"},
		{"a blank for the T", "2027-07-01 10:00:00Z", "invalid_format"},
		{"the 61st second", "2027-07-01T10:00:61Z", "invalid_format"},
		{"the 25th hour", "2027-07-01T24:00:00Z", "invalid_format"},
		{"the 30th of February", "2027-02-30T10:00:00Z", "invalid_format"},
		{"infinity", "infinity", "invalid_format"},
		{"the year 300000", "300000-07-01T10:00:00Z", "invalid_format"},
		{"zeros", "0000-00-00T00:00:00Z", "invalid_format"},
		{"seconds since 1970", "1822204800", "invalid_format"},
		{"10,000 characters", long, "too_long"},
	}
	rules := []value{
		{"no text", "", "too_short"}, {"no end", "FREQ=DAILY", "invalid_format"},
		{"each second", "FREQ=SECONDLY;COUNT=2", "invalid_format"},
		{"a line break", "FREQ=DAILY;COUNT=2\n", "invalid_format"}, {"10,000 characters", long, "too_long"},
		{"a number of 30 digits", "FREQ=DAILY;COUNT=" + strings.Repeat("9", 30), "invalid_format"},
	}
	eventRange := map[string][]value{
		"after": {{"no cursor", "x", "invalid_format"}, {"10,000 characters", long, "too_long"}},
		"from":  times,
		"to":    append([]value{{"before from", "2026-06-01T00:00:00Z", "before_from"}}, times...),
	}
	webhookEndpoint := map[string][]value{
		"url": {
			{"no text", "", "invalid_format"}, {"a path", "/hooks", "invalid_format"}, {"plain FTP", "ftp://example.com/", "not_https"},
			{"a private address", "https://10.0.0.1/", "blocked_address"}, {"10,000 characters", "https://example.com/" + long, "too_long"},
		},
		"types[0]": {
			{"no text", "", "pattern"}, {"a word", "booking", "pattern"}, {"capitals", "Booking.created", "pattern"},
			{"a wildcard of SQL", "booking.%", "pattern"},
			{"10,000 characters", long, "pattern"},
		},
		"description": {
			{"501 characters", strings.Repeat("ü", 501), "too_long"}, {"a line break", "a\nb", "control_character"},
			{"a right-to-left override", "a\u202eb", "control_character"},
		},
	}
	amount := append([]value{{"0", 0, "too_small"}, {"0.5", 0.5, "wrong_type"}, {"1e3", number("1e3"), "wrong_type"}},
		numbers(1, 1<<53-1)...)
	said := append([]value{{"201 characters", strings.Repeat("ü", 201), "too_long"}, {"10,000 characters", long, "too_long"}},
		unreadable[3:]...)
	movement := func(more map[string][]value) map[string][]value {
		fields := map[string][]value{"amount": amount, "reason": said, "reference": said}
		maps.Copy(fields, more)
		return fields
	}
	apiKey := map[string][]value{
		"name": texts(200),
		"scopes": {
			{"none", []any{}, "too_short"},
			{"eight", []any{"catalog", "hold", "read", "book", "customers", "money", "admin", "read"}, "too_long"},
			{"one twice", []any{"read", "read"}, "duplicate"},
		},
		"scopes[0]": {{"no text", "", "not_one_of"}, {"no scope", "write", "not_one_of"}, {"capitals", "READ", "not_one_of"},
			{"10,000 characters", long, "not_one_of"}},
	}
	customers := map[string][]value{
		"customer.name":      texts(200),
		"customer.email":     emails,
		"customer.phone":     texts(50),
		"customer.time_zone": zones,
		"customer.birthday":  append([]value{{"a date to come", future(0).String(), "in_future"}}, dates...),
	}
	visitors := maps.Clone(customers)
	delete(visitors, "customer.birthday")
	visitorsHold := map[string][]value{
		"service_id": ids, "resource_id": ids, "starts_at": starts, "hold_minutes": numbers(1, 60),
		"party_size": append([]value{{"more than fit", 6, "too_large"}}, numbers(1, 1000)...),
	}
	maps.Copy(visitorsHold, visitors)
	users := map[string][]value{
		"name":  texts(200),
		"email": emails,
		"role":  {{"no role", "admin", "not_one_of"}, {"no text", "", "not_one_of"}},
	}
	references := texts(100)[1:] // an empty one removes it
	return map[string]map[string][]value{
		"create-api-key":     apiKey,
		"create-own-api-key": apiKey,
		"change-own-api-key": apiKey,
		"invite-user":        users,
		"change-user":        users,
		"rotate-own-api-key": {"overlap_minutes": numbers(0, 10_080)},
		"create-wallet": {
			"customer_id": ids,
			"currency": {
				{"no text", "", "pattern"}, {"small letters", "eur", "pattern"}, {"four letters", "EURO", "pattern"},
				{"no currency", "XXQ", "unknown_currency"}, {"10,000 characters", long, "pattern"},
			},
		},
		"look-up-wallet":      {"code": {{"no text", "", "too_short"}, {"10,000 characters", long, "too_long"}}},
		"credit-wallet":       movement(map[string][]value{"expires_at": times}),
		"debit-wallet":        movement(nil),
		"hold-wallet":         movement(nil),
		"capture-wallet-hold": movement(nil),
		"release-wallet-hold": {"reason": said, "reference": said},
		"create-customer":     unprefixed(customers, "customer."),
		"merge-customer":      {"into": ids},
		"transfer":            movement(map[string][]value{"from": ids, "to": ids}),
		"create-tenant": {
			"slug": {
				{"no text", "", "pattern"}, {"capitals", "Harbour", "pattern"}, {"a blank", "har bour", "pattern"},
				{"a dash first", "-harbour", "pattern"}, {"an umlaut", "häfen", "pattern"}, {"a path", "../harbour", "pattern"},
				{"a line break", "harbour\n", "pattern"}, {"64 characters", strings.Repeat("a", 64), "pattern"},
				{"10,000 characters", long, "pattern"},
			},
			"name":      texts(200),
			"time_zone": zones,
			"currency": {
				{"no text", "", "pattern"}, {"small letters", "eur", "pattern"}, {"four letters", "EURO", "pattern"},
				{"no currency", "XXQ", "unknown_currency"}, {"no decimals known", "MRO", "unknown_currency"},
				{"10,000 characters", long, "pattern"},
			},
		},
		"correct-tenant": {
			"slug": {
				{"no text", "", "pattern"}, {"capitals", "Harbour", "pattern"}, {"a blank", "har bour", "pattern"},
				{"a dash first", "-harbour", "pattern"}, {"an umlaut", "häfen", "pattern"}, {"a path", "../harbour", "pattern"},
				{"a line break", "harbour\n", "pattern"}, {"64 characters", strings.Repeat("a", 64), "pattern"},
				{"10,000 characters", long, "pattern"},
			},
			"name":      texts(200),
			"time_zone": zones,
			"currency": {
				{"no text", "", "pattern"}, {"small letters", "eur", "pattern"}, {"four letters", "EURO", "pattern"},
				{"no currency", "XXQ", "unknown_currency"}, {"no decimals known", "MRO", "unknown_currency"},
				{"10,000 characters", long, "pattern"},
			},
		},
		"suspend-tenant": {"reason": append([]value{{"501 characters", strings.Repeat("ü", 501), "too_long"}}, unreadable...)},
		"set-logo": {"data": {
			{"no text", "", "too_short"}, {"no base64", "?", "invalid_format"}, {"no image", "AAAA", "invalid_image"},
			{"43,693 characters", strings.Repeat("A", 43_693), "too_long"}, {"32,769 bytes", strings.Repeat("A", 43_692), "too_long"},
		}},
		"change-tenant": {
			"website.origins[0]": {
				{"no text", "", "invalid"}, {"any", "*", "invalid"}, {"no scheme", "www.harbour.example", "invalid"},
				{"10,000 characters", long, "invalid"},
			},
			"name":                        texts(200),
			"reminders[0].before_minutes": numbers(1, 525600),
			"reminders[1].days_before":    numbers(0, 365),
			"reminders[1].at":             append([]value{{"24:00", "24:00", "pattern"}}, clocks...),
			"balance_due.days_before":     numbers(0, 365),
			"balance_due.at":              append([]value{{"24:00", "24:00", "pattern"}}, clocks...),
			"follow_up_minutes":           numbers(0, 525600),
			"email.templates[0].template": {{"no kind", "", "not_one_of"}, {"another kind", "booking.lost", "not_one_of"},
				{"10,000 characters", long, "not_one_of"}},
			"email.templates[0].subject": {{"no text", "", "required"}, {"10,000 characters", long, "too_long"},
				{"an open tag", "{{", "invalid_template"}},
			"email.templates[0].text": {{"no text", "", "required"}, {"a partial", "{{> /etc/passwd}}", "invalid_template"}},
			"email.templates[0].html": {{"an unknown variable", "{{{password}}}", "invalid_template"}},
		},
		"preview-email": {
			"template":   {{"no kind", "", "not_one_of"}, {"another kind", "booking.lost", "not_one_of"}},
			"subject":    {{"10,000 characters", long, "too_long"}, {"an open tag", "{{", "invalid_template"}},
			"text":       {{"a partial", "{{> /etc/passwd}}", "invalid_template"}},
			"html":       {{"an unknown variable", "{{{password}}}", "invalid_template"}},
			"booking_id": ids,
		},
		"create-webhook-endpoint":          webhookEndpoint,
		"change-webhook-endpoint":          webhookEndpoint,
		"replay-webhook-events":            eventRange,
		"create-operator-webhook-endpoint": webhookEndpoint,
		"change-operator-webhook-endpoint": webhookEndpoint,
		"replay-operator-webhook-events":   eventRange,
		"create-resource": {
			"name":     texts(200),
			"capacity": numbers(1, 1000),
			"position": numbers(0, 1_000_000),
		},
		"change-customer": {
			"name": texts(200), "email": emails, "phone": removable(texts(50)), "time_zone": removable(zones),
			"birthday": removable(append([]value{{"a date to come", future(0).String(), "in_future"}}, dates...)),
		},
		"change-resource": {
			"name":     texts(200),
			"capacity": numbers(1, 1000),
			"position": numbers(0, 1_000_000),
		},
		"archive-resource": {},
		"archive-service":  {},
		"change-block": {
			"resource_id": ids,
			"from":        dates,
			"to":          dates,
			"rrule":       rules,
			"reason":      append([]value{{"501 characters", strings.Repeat("ü", 501), "too_long"}}, unreadable...),
		},
		"create-block": {
			"resource_id": ids,
			"starts_at":   starts,
			"ends_at":     starts,
			"rrule":       rules,
			"reason":      append([]value{{"501 characters", strings.Repeat("ü", 501), "too_long"}}, unreadable...),
		},
		"unarchive-block": {},
		"change-closure": {
			"resource_id": ids,
			"from":        dates,
			"to":          dates,
			"starts":      append([]value{{"24:00", "24:00", "pattern"}}, clocks...),
			"ends":        clocks,
			"reason": append([]value{{"501 characters", strings.Repeat("ü", 501), "too_long"},
				{"10,000 characters", long, "too_long"}}, unreadable...),
		},
		"change-service": {
			"name":                  texts(200),
			"resource_ids[0]":       ids,
			"duration_minutes":      append([]value{{"0", 0, "required"}}, numbers(0, 10_080)...),
			"slot_interval_minutes": numbers(0, 1440),
			"buffer_before_minutes": numbers(0, 1440),
			"buffer_after_minutes":  numbers(0, 1440),
			"min_lead_minutes":      numbers(0, 527_040),
			"booking_window_days":   numbers(0, 3650),
			"max_per_day":           numbers(1, 1_000_000),
			"price":                 numbers(0, 1<<53-1),
			"deposit":               append([]value{{"more than the price", 4501, "too_large"}}, numbers(0, 1<<53-1)...),
			"metadata":              {{"20 KB", object{"a": strings.Repeat("x", 20_000)}, "too_long"}},
		},
		"set-hours": {
			"weekly[0].weekday":   weekdays,
			"weekly[0].opens":     append([]value{{"24:00", "24:00", "pattern"}}, clocks...),
			"weekly[0].closes":    clocks,
			"overrides[0].date":   dates,
			"overrides[1].opens":  clocks,
			"overrides[1].closes": clocks,
		},
		"set-tenant-hours": {
			"weekly[0].weekday":   weekdays,
			"weekly[0].opens":     append([]value{{"24:00", "24:00", "pattern"}}, clocks...),
			"weekly[0].closes":    clocks,
			"overrides[0].date":   dates,
			"overrides[1].opens":  clocks,
			"overrides[1].closes": clocks,
		},
		"create-closure": {
			"resource_id": ids,
			"from":        dates,
			"to":          dates,
			"starts":      append([]value{{"24:00", "24:00", "pattern"}}, clocks...),
			"ends":        clocks,
			"reason": append([]value{{"501 characters", strings.Repeat("ü", 501), "too_long"},
				{"10,000 characters", long, "too_long"}}, unreadable...),
		},
		"create-payment": {
			"kind": {
				{"no text", "", "not_one_of"}, {"a refund", "refund", "not_one_of"}, {"capitals", "DEPOSIT", "not_one_of"},
			},
			"amount": append([]value{{"0", 0, "too_small"}, {"0.5", 0.5, "wrong_type"}}, numbers(1, 1<<53-1)...),
			"metadata": {
				{"a reserved name", object{"tenant_id": "x"}, "reserved"}, {"a reserved beginning", object{"holdfast_x": "x"}, "reserved"},
				{"a name with brackets", object{"a[b]": "x"}, "invalid_format"}, {"no name", object{"": "x"}, "invalid_format"},
				{"a name of 41 characters", object{strings.Repeat("n", 41): "x"}, "invalid_format"},
				{"501 characters", object{"order": strings.Repeat("ü", 501)}, "too_long"}, {"no text", object{"order": ""}, "blank"},
				{"a line break", object{"order": "a\nb"}, "control_character"},
			},
			"payment_method": {
				{"no text", "", "too_short"}, {"a blank", "pm ok", "pattern"}, {"a line break", "pm_ok\n", "pattern"},
				{"a control character", "pm_ok\x1b", "pattern"}, {"an umlaut", "pm_ök", "pattern"},
				{"256 characters", strings.Repeat("x", 256), "too_long"}, {"10,000 characters", long, "too_long"},
			},
		},
		"create-payment-account": {
			"country": {{"no text", "", "pattern"}, {"small letters", "de", "pattern"}, {"three letters", "DEU", "pattern"}},
		},
		"create-onboarding-link": {
			"return_url":  pages,
			"refresh_url": pages,
		},
		"change-tenant-payment-account": {
			"application_fee_basis_points": numbers(0, 10_000),
		},
		"pay-hold": {
			"kind": {{"no text", "", "not_one_of"}, {"an amount", "amount", "not_one_of"}, {"a refund", "refund", "not_one_of"}},
			"payment_method": {
				{"no text", "", "too_short"}, {"a blank", "pm ok", "pattern"}, {"256 characters", strings.Repeat("x", 256), "too_long"},
			},
		},
		"create-hold":  visitorsHold,
		"confirm-hold": visitors,
		"cancel-booking": {
			"reason": texts(200),
			"fee":    numbers(0, 1<<53-1),
		},
		"no-show-booking": {
			"fee": numbers(0, 1<<53-1),
		},
		"update-booking": {
			"reference":          references,
			"external_reference": references,
			"metadata":           {{"20 KB", object{"a": strings.Repeat("x", 20_000)}, "too_long"}},
			"customer.name":      texts(200),
			"customer.email":     emails,
			"customer.phone":     texts(50),
			"customer.time_zone": zones,
			"customer.birthday":  append([]value{{"a date to come", future(0).String(), "in_future"}}, dates...),
		},
		"extend-booking": {
			"hold_minutes": numbers(1, 10_080),
		},
		"reschedule-booking": {
			"service_id":  ids,
			"resource_id": ids,
			"party_size": append([]value{{"more than fit", 6, "too_large"}, {"2^31", number("2147483648"), "too_large"}},
				numbers(1, 1000)...),
			"starts_at": starts,
			"price": {{"no text", "", "not_one_of"}, {"a number", "4500", "not_one_of"}, {"capitals", "KEEP", "not_one_of"},
				{"10,000 characters", long, "not_one_of"}},
		},
		"quote-booking": {
			"booking_id":  ids,
			"service_id":  ids,
			"resource_id": ids,
			"party_size":  append([]value{{"2^31", number("2147483648"), "too_large"}}, numbers(1, 1000)...),
			"starts_at":   starts,
			"price": {{"no text", "", "not_one_of"}, {"a number", "4500", "not_one_of"}, {"capitals", "KEEP", "not_one_of"},
				{"10,000 characters", long, "not_one_of"}},
		},
		"complete-refund": {
			"method": {{"no text", "", "not_one_of"}, {"a wallet", "wallet", "not_one_of"}, {"capitals", "CASH", "not_one_of"}},
			"note": append([]value{{"no text", "", "too_short"}, {"501 characters", strings.Repeat("ü", 501), "too_long"}},
				unreadable...),
			"returned_at": {{"no time", "yesterday", "invalid_format"}, {"a date", "2026-07-01", "invalid_format"}},
		},
		"create-refund": {
			"amount": append([]value{{"0", 0, "too_small"}, {"0.5", 0.5, "wrong_type"}}, numbers(1, 1<<53-1)...),
		},
		"create-service": {
			"name": texts(200),
			"kind": {{"no text", "", "not_one_of"}, {"a kind that isn't sold", "series", "not_one_of"},
				{"capitals", "SLOT", "not_one_of"}},
			"resource_ids[0]":       ids,
			"duration_minutes":      append([]value{{"0", 0, "required"}}, numbers(0, 10_080)...),
			"slot_interval_minutes": numbers(0, 1440),
			"buffer_before_minutes": numbers(0, 1440),
			"buffer_after_minutes":  numbers(0, 1440),
			"min_lead_minutes":      numbers(0, 527_040),
			"booking_window_days":   numbers(0, 3650),
			"max_per_day":           numbers(1, 1_000_000),
			"price":                 numbers(0, 1<<53-1),
			"deposit":               numbers(0, 1<<53-1),
			"metadata":              {{"20 KB", object{"a": strings.Repeat("x", 20_000)}, "too_long"}},
		},
		"create-booking": {
			"id": append([]value{
				{"the nil UUID", uuid.Nil.String(), "invalid_format"}, {"the last UUID", uuid.Max.String(), "invalid_format"},
				{"that of a session", "0197f0c6-3b7e-8c31-8a5e-0d0c5f6b7a10", "invalid_format"},
				{"no version", "0197f0c6-3b7e-0c31-8a5e-0d0c5f6b7a10", "invalid_format"},
				{"another variant", "0197f0c6-3b7e-7c31-ca5e-0d0c5f6b7a10", "invalid_format"},
			}, ids...),
			"reference":          texts(100),
			"external_reference": texts(100),
			"service_id":         ids,
			"resource_id":        ids,
			"party_size": append([]value{{"more than fit", 6, "too_large"}, {"2^31", number("2147483648"), "too_large"}},
				numbers(1, 1000)...),
			"hold_minutes":       numbers(1, 10_080),
			"metadata":           {{"20 KB", object{"a": strings.Repeat("x", 20_000)}, "too_long"}},
			"starts_at":          starts,
			"customer.name":      customers["customer.name"],
			"customer.email":     customers["customer.email"],
			"customer.phone":     customers["customer.phone"],
			"customer.time_zone": customers["customer.time_zone"],
			"customer.birthday":  customers["customer.birthday"],
		},
		"confirm-booking": customers,
	}
}

// removable returns the values without the empty text, which removes what the field has.
func removable(values []value) []value {
	return slices.DeleteFunc(slices.Clone(values), func(v value) bool { return v.value == "" })
}

// unprefixed returns fields whose names begin with a prefix, without it.
func unprefixed(fields map[string][]value, prefix string) map[string][]value {
	bare := map[string][]value{}
	for name, values := range fields {
		bare[strings.TrimPrefix(name, prefix)] = values
	}
	return bare
}

// boundsInFull are the operations that are sent every value of the table. Together they have a field of each type.
var boundsInFull = []string{"create-booking", "create-tenant", "credit-wallet", "set-hours"}

// brief returns the first two values that are refused for each reason.
func brief(values []value) []value {
	seen := map[string]int{}
	return slices.DeleteFunc(slices.Clone(values), func(v value) bool {
		seen[v.reason]++
		return seen[v.reason] > 2
	})
}

func TestInvalid_ValueBeyondItsBounds_IsRefusedInEveryField(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	table := bounds()
	for id, s := range f.samples(t) {
		if s.body == nil {
			continue
		}
		require.Contains(t, table, id)
		var refusals []refusal
		covered := make(map[string]bool)
		for _, path := range paths(s.body) {
			field := fieldName(path)
			values := table[id][field]
			if !slices.Contains(boundsInFull, id) {
				values = brief(values)
			}
			for _, v := range values {
				covered[field] = true
				refusals = append(refusals, refusal{
					name: field + " as " + v.name, method: s.method, path: s.path, body: with(s.body, path, v.value),
					status: http.StatusUnprocessableEntity, code: problem.ValidationFailed, field: field, reason: v.reason,
				})
			}
		}
		require.Len(t, covered, len(table[id]), "a field of the table that the sample doesn't have")
		t.Run(id, func(t *testing.T) { requireRefused(t, s.client, refusals) })
	}
}
