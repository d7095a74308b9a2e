package email_test

import (
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"holdfast/internal/problem/problemtest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/email"
	"holdfast/internal/problem"
	"holdfast/internal/timezone"
)

func TestDefaults_EveryKind_RendersWithAllAndWithNoData(t *testing.T) {
	t.Parallel()
	for _, language := range email.Languages {
		for _, kind := range email.Kinds() {
			requireDefault(t, kind, language)
		}
	}
}

func requireDefault(t *testing.T, kind email.Kind, language email.Language) {
	t.Helper()
	t.Run(string(language)+" "+string(kind), func(t *testing.T) {
		t.Parallel()
		template := email.Default(kind, language)
		require.NoError(t, email.Check("email.templates", kind, template))
		full, err := email.Preview(kind, template, language)
		require.NoError(t, err)
		empty, err := email.Render(kind, template,
			email.Data{Language: language, CustomerName: "Ada", TenantName: "Harbour House"})
		require.NoError(t, err)
		for _, content := range []email.Content{full, empty} {
			require.NotEmpty(t, content.Subject)
			for _, part := range []string{content.Subject, content.Text, content.HTML} {
				require.NotContains(t, part, "{{")
			}
			require.Contains(t, content.Text, "Harbour House")
			require.Contains(t, content.HTML, "Harbour House")
		}
		require.Contains(t, full.Text, "\nPier 7\nHamburg\n+49 40 1234\n", "address and contact")
		require.Contains(t, full.HTML, `<span style="white-space: pre-line">Pier 7`+"\nHamburg</span><br>")
		require.NotContains(t, empty.HTML, "<span")
		require.Contains(t, full.HTML, `<html lang="`+string(language)+`">`)
		require.Equal(t, kind.Unsubscribable(), strings.Contains(full.Text, "https://example.com/unsubscribe/sample"))
		require.Equal(t, kind.Unsubscribable(),
			strings.Contains(full.HTML, `href="https://example.com/unsubscribe/sample"`))
	})
}

func TestVariables_EveryOneOfEveryKind_HasASample(t *testing.T) {
	t.Parallel()
	for _, kind := range email.Kinds() {
		for _, name := range email.Variables(kind) {
			content, err := email.Preview(kind, email.Template{Subject: "s", Text: "{{" + name + "}}"}, "en")
			require.NoError(t, err)
			require.NotEmpty(t, content.Text, "%s of %s has no sample", name, kind)
		}
	}
}

func TestRender_Section_ShowsOnlyWhatIsThere(t *testing.T) {
	t.Parallel()
	template := email.Template{Subject: "s", Text: "{{#price}}costs {{price}}{{/price}}{{^price}}free{{/price}}"}
	without, err := email.Render(email.BookingConfirmed, template, email.Data{})
	require.NoError(t, err)
	require.Equal(t, "free", without.Text)
	with, err := email.Render(email.BookingConfirmed, template,
		email.Data{Price: email.Amount{Minor: 123450, Currency: "EUR"}})
	require.NoError(t, err)
	require.Equal(t, "costs 1,234.50 EUR", with.Text)
}

func TestRender_Interval_IsSaidAsShortAsItCanBe(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("Somewhere", 2*60*60)
	day := time.Date(2027, time.June, 12, 0, 0, 0, 0, zone)
	santiago, err := timezone.Load("America/Santiago")
	require.NoError(t, err)
	skipped := time.Date(2027, time.September, 5, 1, 0, 0, 0, santiago) // this day has no midnight
	for _, c := range []struct {
		starts, ends time.Time
		allDay       bool
		wanted       string
	}{
		{day.Add(14 * time.Hour), day.Add(16 * time.Hour), false,
			"Saturday 12 June 2027, 14:00 to 16:00 14:00 16:00 2027-06-12 Somewhere"},
		{day.Add(22 * time.Hour), day.Add(26 * time.Hour), false,
			"Saturday 12 June 2027, 22:00 to Sunday 13 June 2027, 02:00 22:00 02:00 2027-06-12 Somewhere"},
		{day, day.AddDate(0, 0, 1), true, "Saturday 12 June 2027   2027-06-12 Somewhere"},
		{day, day.AddDate(0, 0, 3), true, "Saturday 12 June 2027 to Monday 14 June 2027   2027-06-12 Somewhere"},
		{skipped, time.Date(2027, time.September, 6, 0, 0, 0, 0, santiago), true,
			"Sunday 5 September 2027   2027-09-05 America/Santiago"},
		{skipped.AddDate(0, 0, -1), skipped, true, "Saturday 4 September 2027   2027-09-04 America/Santiago"},
		{time.Time{}, time.Time{}, false, "    "},
	} {
		content, err := email.Render(email.BookingConfirmed,
			email.Template{Text: "{{when}} {{start_time}} {{end_time}} {{iso_date}} {{time_zone}}"},
			email.Data{Starts: c.starts, Ends: c.ends, AllDay: c.allDay})
		require.NoError(t, err)
		require.Equal(t, c.wanted, content.Text)
	}
}

func TestAmount_OfAnyCurrency_HasItsDecimals(t *testing.T) {
	t.Parallel()
	for wanted, amount := range map[string]email.Amount{
		"1,234.50 EUR": {Minor: 123450, Currency: "EUR"}, "123,450 JPY": {Minor: 123450, Currency: "JPY"},
		"123.450 KWD": {Minor: 123450, Currency: "KWD"},
		"0.00 EUR":    {Currency: "EUR"}, "": {},
	} {
		content, err := email.Render(email.BookingConfirmed, email.Template{Text: "{{price}}"},
			email.Data{Price: amount})
		require.NoError(t, err)
		require.Equal(t, wanted, content.Text)
	}
}

func TestCheck_BadTemplate_NamesTheField(t *testing.T) {
	t.Parallel()
	nested := strings.Repeat("{{#price}}", 9) + strings.Repeat("{{/price}}", 9)
	for name, c := range map[string]struct {
		template    email.Template
		field, code string
	}{
		"no subject":   {email.Template{Text: "t"}, "x.subject", "required"},
		"no text":      {email.Template{Subject: "s", Text: " \n"}, "x.text", "required"},
		"blank HTML":   {email.Template{Subject: "s", Text: "t", HTML: " \n"}, "x.html", "required"},
		"long subject": {email.Template{Subject: strings.Repeat("s", 2000), Text: "t"}, "x.subject", "too_long"},
		"long text": {email.Template{Subject: "s", Text: strings.Repeat("t", email.MaxTemplate+1)}, "x.text",
			"too_long"},
		"unknown variable": {email.Template{Subject: "{{card_number}}", Text: "t"}, "x.subject", "invalid_template"},
		"unknown in section": {email.Template{Subject: "s", Text: "{{#price}}{{secret}}{{/price}}"}, "x.text",
			"invalid_template"},
		"unknown section": {email.Template{Subject: "s", Text: "{{#secret}}{{/secret}}"}, "x.text", "invalid_template"},
		"raw unknown": {email.Template{Subject: "s", Text: "t", HTML: "{{{secret}}}"}, "x.html",
			"invalid_template"},
		"other kind's":   {email.Template{Subject: "{{hold_expires_at}}", Text: "t"}, "x.subject", "invalid_template"},
		"the whole data": {email.Template{Subject: "s", Text: "{{.}}"}, "x.text", "invalid_template"},
		"path":           {email.Template{Subject: "s", Text: "{{price.Currency}}"}, "x.text", "invalid_template"},
		"open tag":       {email.Template{Subject: "s", Text: "{{price"}, "x.text", "invalid_template"},
		"open section":   {email.Template{Subject: "s", Text: "{{#price}}"}, "x.text", "invalid_template"},
		"crossed sections": {email.Template{Subject: "s", Text: "{{#price}}{{#date}}{{/price}}{{/date}}"}, "x.text",
			"invalid_template"},
		"empty tag":    {email.Template{Subject: "s", Text: "{{}}"}, "x.text", "invalid_template"},
		"deep nesting": {email.Template{Subject: "s", Text: nested}, "x.text", "invalid_template"},
		"very deep nesting": {email.Template{Subject: "s", Text: strings.Repeat("{{#date}}", email.MaxTemplate/9)},
			"x.text", "invalid_template"},
		"partial": {email.Template{Subject: "s", Text: "{{> /etc/passwd}}"}, "x.text",
			"invalid_template"},
		"partial, known name": {email.Template{Subject: "s", Text: "{{>price}}"}, "x.text",
			"invalid_template"},
		"delimiters": {email.Template{Subject: "s", Text: "{{=<% %>=}}<% price %>"}, "x.text",
			"invalid_template"},
		"spaced delimiters": {email.Template{Subject: "s", Text: "{{ \n =<% %>=}}"}, "x.text",
			"invalid_template"},
		"delimiters after a no-break space": {email.Template{Subject: "s", Text: "{{\u00a0=<% %>=}}"}, "x.text",
			"invalid_template"},
		"delimiters after a vertical tab": {email.Template{Subject: "s", Text: "{{\v=<% %>=}}"}, "x.text",
			"invalid_template"},
		"broken delimiters": {email.Template{Subject: "s", Text: "{{=x}}"}, "x.text",
			"invalid_template"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problemtest.RequireField(t, email.Check("x", email.BookingConfirmed, c.template), c.field, c.code)
		})
	}
}

func TestCheck_UnknownKind_IsRefused(t *testing.T) {
	t.Parallel()
	problemtest.RequireField(t, email.Check("x", "booking.lost", email.Default(email.BookingConfirmed, "en")), "x",
		"not_one_of")
	require.Empty(t, email.Default("booking.lost", "en"))
}

func TestRender_FileNamedAsPartial_IsNotRead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret.mustache")
	require.NoError(t, os.WriteFile(file, []byte("the secret"), 0o600))
	for _, name := range []string{file, strings.TrimSuffix(file, ".mustache")} {
		content, err := email.Render(email.BookingConfirmed, email.Template{Subject: "s", Text: "{{>" + name + "}}"},
			email.Data{})
		requirePermanent(t, err, 0)
		require.Empty(t, content)
	}
}

func TestRender_HugeOutput_IsRefusedAndBounded(t *testing.T) {
	t.Parallel()
	data := email.Data{TenantName: strings.Repeat("<", 10_000)}
	template := email.Template{Subject: "s", Text: "t",
		HTML: strings.Repeat("{{tenant_name}}", email.MaxTemplate/len("{{tenant_name}}"))}
	_, err := email.Render(email.BookingConfirmed, template, data)
	requirePermanent(t, err, 0)

	template.HTML = "{{tenant_name}}"
	content, err := email.Render(email.BookingConfirmed, template, data)
	require.NoError(t, err)
	require.LessOrEqual(t, len(content.HTML), email.MaxOutput)
}

func TestRender_HostileSubject_IsOneShortLine(t *testing.T) {
	t.Parallel()
	content, err := email.Render(email.BookingConfirmed,
		email.Template{Subject: "a\r\nBcc: x@y.example {{customer_name}}", Text: "t"},
		email.Data{CustomerName: strings.Repeat("é\n", 500)})
	require.NoError(t, err)
	require.NotContains(t, content.Subject, "\n")
	require.Len(t, []rune(content.Subject), 250)
}

func TestRender_DataInHTML_IsEscapedHoweverItIsNamed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.Just(`<script>alert("x")</script>&amp;'{{price}}{{>x}}`)).Draw(t,
			"name")
		tag := rapid.SampledFrom([]string{"{{customer_name}}", "{{{customer_name}}}", "{{&customer_name}}",
			"{{ & customer_name }}"}).Draw(t, "tag")
		content, err := email.Render(email.BookingConfirmed, email.Template{Subject: "s", Text: tag, HTML: tag},
			email.Data{CustomerName: name})
		require.NoError(t, err)
		require.False(t, strings.ContainsAny(content.HTML, `<>"'`), content.HTML)
		require.Equal(t, name, html.UnescapeString(content.HTML))
		require.Equal(t, name, content.Text)
	})
}

func TestRender_AnyTemplate_EndsWithoutPanicAndAgreesWithCheck(t *testing.T) {
	t.Parallel()
	pieces := rapid.SampledFrom([]string{
		"{{", "}}", "{{{", "}}}", "#", "^", "/", ">", "=", "!", "&", ".", " ", "\n", "price", "date", "secret",
		"{{price}}", "{{#price}}",
		"{{/price}}", "text", "{{! }}",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(pieces, 1, 40).Draw(t, "pieces"), "")
		template := email.Template{Subject: "s", Text: "t" + text}
		_, err := email.Preview(email.BookingConfirmed, template, "en")
		checked := email.Check("x", email.BookingConfirmed, template)
		require.Equal(t, err == nil, checked == nil, "%v, %v", err, checked)
		if checked != nil {
			var refused *problem.Error
			require.ErrorAs(t, checked, &refused)
			require.NotContains(t, refused.Fields[0].Detail, "secret", "a refusal repeats the template")
		}
	})
}
