package email

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cbroglie/mustache"

	"holdfast/internal/problem"
)

// Template is how the emails of a kind read, in mustache (https://mustache.github.io). A template may name the kind's
// variables, as {{customer_name}}, and show a part only if a variable is there, as {{#price}}…{{/price}}, or only if it
// isn't, as {{^price}}…{{/price}}.
//
// Tenants write templates, so mustache is cut down to that. There are no partials, which read files, no other
// delimiters, and no data but strings: no loop, no call. The work is bounded by the size of the template and of its
// output.
type Template struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
	// HTML is escaped where it shows a variable, with two braces or three. Put quotes around attributes that have one.
	// If it is empty, the emails have no HTML.
	HTML string `json:"html,omitempty"`
}

// Content is a rendered template.
type Content struct {
	Subject string
	Text    string
	HTML    string
}

const (
	// MaxTemplate bounds the text and the HTML of a template, in bytes.
	MaxTemplate = 64 << 10
	// maxSubjectTemplate bounds the subject of a template, in bytes.
	maxSubjectTemplate = 1 << 10
	// maxOutput bounds each rendered part, in bytes.
	maxOutput = 1 << 20
	// maxNesting bounds how deep sections may lie in one another.
	maxNesting = 8
)

// Check returns problem.ValidationFailed for an unknown kind, and for a template that can't be rendered. The parts of
// the template are named below the given field, as in "email.templates.subject".
func Check(field string, kind Kind, t Template) error {
	if !slices.Contains(Kinds(), kind) {
		return problem.Invalid(field, "not_one_of", "Expected the template of a kind of email that exists.")
	}
	for _, part := range []struct {
		name, source string
		limit        int
		optional     bool
	}{
		{"subject", t.Subject, maxSubjectTemplate, false},
		{"text", t.Text, MaxTemplate, false},
		{"html", t.HTML, MaxTemplate, true},
	} {
		name := field + "." + part.name
		if absent := part.optional && part.source == ""; !absent && strings.TrimSpace(part.source) == "" {
			return problem.Invalid(name, "required", "Expected a text.")
		}
		if len(part.source) > part.limit {
			return problem.Invalid(name, "too_long", fmt.Sprintf("Expected at most %d bytes.", part.limit))
		}
		if _, err := parse(part.source, kind); err != nil {
			return problem.Invalid(name, "invalid_template", err.Error())
		}
	}
	return nil
}

// Preview renders a template with sample data, in one of Languages. It returns the errors of Render.
func Preview(kind Kind, t Template, language Language) (Content, error) {
	return Render(kind, t, sample(language))
}

// Render renders a template. It returns a *PermanentError for a template with a fault in its text, and for one whose
// output is too large.
func Render(kind Kind, t Template, d Data) (Content, error) {
	plain := d.values(kind)
	escaped := make(map[string]string, len(plain))
	for name, value := range plain {
		escaped[name] = html.EscapeString(value)
	}
	var c Content
	var errs [3]error
	c.Subject, errs[0] = render(t.Subject, kind, plain)
	c.Text, errs[1] = render(t.Text, kind, plain)
	c.HTML, errs[2] = render(t.HTML, kind, escaped)
	if err := errors.Join(errs[:]...); err != nil {
		return Content{}, &PermanentError{Err: fmt.Errorf("render %s: %w", kind, err)}
	}
	c.Subject = truncate(oneLine(c.Subject), maxSubject)
	return c, nil
}

// render renders one part. The values are inserted as they are.
func render(source string, kind Kind, values map[string]string) (string, error) {
	if len(source) > MaxTemplate {
		return "", errors.New("the template is too long")
	}
	parsed, err := parse(source, kind)
	if err != nil {
		return "", err
	}
	out := output{}
	// The library ignores some errors of its writer, so the output remembers that it was full.
	if err := parsed.FRender(&out, values); err != nil || out.full {
		return "", errors.Join(err, errFull)
	}
	return out.String(), nil
}

// setDelimiter finds the tag that changes the delimiters. The library skips all white space of Unicode before its sign,
// and \s is that of ASCII.
var setDelimiter = regexp.MustCompile(`\{\{[\s\v\x{85}\p{Z}]*=`)

// parse parses one part and checks its tags. Its errors are for the tenant.
func parse(source string, kind Kind) (*mustache.Template, error) {
	if setDelimiter.MatchString(source) {
		return nil, errors.New("the tag {{= is not supported")
	}
	// Values for HTML are escaped before they get here, so that three braces escape as well as two.
	const raw = true
	parsed, err := mustache.ParseStringPartialsRaw(source, &mustache.StaticProvider{}, raw)
	if err != nil {
		var syntax mustache.ParseError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("line %d: %s", syntax.Line, strings.ReplaceAll(string(syntax.Code), "_", " "))
		}
		return nil, errors.New("not a mustache template")
	}
	return parsed, checkTags(parsed.Tags(), Variables(kind), 0)
}

func checkTags(tags []mustache.Tag, names []string, depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("sections lie in one another more than %d deep", maxNesting)
	}
	for _, tag := range tags {
		if tag.Type() == mustache.Partial {
			return errors.New("partials are not supported")
		}
		if !slices.Contains(names, tag.Name()) {
			return errors.New("unknown variable; expected one of " + strings.Join(names, ", "))
		}
		if tag.Type() == mustache.Variable {
			continue
		}
		if err := checkTags(tag.Tags(), names, depth+1); err != nil {
			return err
		}
	}
	return nil
}

var errFull = errors.New("the rendered text is too long")

// output is a buffer that takes at most maxOutput bytes.
type output struct {
	bytes.Buffer
	full bool
}

// Write appends p, or fails if the output is full.
func (o *output) Write(p []byte) (int, error) {
	if o.full = o.full || o.Len()+len(p) > maxOutput; o.full {
		return 0, errFull
	}
	return o.Buffer.Write(p)
}

// SampleManageURL is the link to the booking in previews. It leads to none.
const SampleManageURL = "https://example.com/booking/sample"

// SampleUnsubscribeURL is the unsubscribe link of previews. It unsubscribes nobody.
const SampleUnsubscribeURL = "https://example.com/unsubscribe/sample"

// sample is the data of previews.
func sample(language Language) Data {
	zone := time.FixedZone("Europe/Berlin", int((2 * time.Hour).Seconds()))
	starts := time.Date(2027, time.June, 12, 14, 0, 0, 0, zone)
	return Data{
		Language:       language,
		TenantName:     "Harbour House",
		CustomerName:   "Ada Lovelace",
		Contact:        "+49 40 1234",
		Address:        "Pier 7\nHamburg",
		Reference:      "7K3MQ2XW",
		ServiceName:    "Boat trip",
		ResourceName:   "The Albatross",
		Starts:         starts,
		Ends:           starts.Add(2 * time.Hour),
		PartySize:      4,
		Price:          Amount{Minor: 24000, Currency: "EUR"},
		Paid:           Amount{Minor: 6000, Currency: "EUR"},
		Refunded:       Amount{Minor: 0, Currency: "EUR"},
		Due:            Amount{Minor: 18000, Currency: "EUR"},
		Payment:        Amount{Minor: 6000, Currency: "EUR"},
		PaymentMethod:  MethodCard,
		Overpaid:       Amount{Minor: 500, Currency: "EUR"},
		HoldExpiresAt:  starts.AddDate(0, 0, -14),
		Years:          1,
		UnsubscribeURL: SampleUnsubscribeURL,
		ManageURL:      SampleManageURL,
	}
}
