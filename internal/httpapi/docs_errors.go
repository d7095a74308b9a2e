package httpapi

import (
	"bytes"
	"html/template"
	"regexp"
	"sync"

	"holdfast/docs"
)

// errorsPage returns the page that the type of a problem document leads to: the tables of docs/errors.md.
var errorsPage = sync.OnceValue(func() []byte {
	codes := tableRows("| status | code | key | meaning | what to do |")
	for _, row := range codes {
		row.Cells[0], row.Cells[1] = row.Cells[1], row.Cells[0] // who comes here has a code
	}
	var page bytes.Buffer
	err := template.Must(template.New("errors").Parse(errorsTemplate)).Execute(&page, map[string][]tableRow{
		"Codes":  codes,
		"Fields": tableRows("| code | meaning |"),
	})
	if err != nil {
		panic(err) // the template and the text are parts of the binary; a test renders them
	}
	return page.Bytes()
})

// tableRow is a row of a table.
type tableRow struct {
	// IDs are the codes that the row explains.
	IDs   []string
	Cells []template.HTML
}

var codeSpan = regexp.MustCompile("`([^`]*)`")

// tableRows returns the rows under the header of a table of docs/errors.md.
func tableRows(header string) (rows []tableRow) {
	for _, cells := range docs.Table(docs.Errors, header)[1:] {
		var row tableRow
		for _, cell := range cells {
			if row.IDs == nil { // the first cell with code says what the row is about
				for _, code := range codeSpan.FindAllStringSubmatch(cell, -1) {
					row.IDs = append(row.IDs, code[1])
				}
			}
			cell = codeSpan.ReplaceAllString(template.HTMLEscapeString(cell), "<code>$1</code>")
			row.Cells = append(row.Cells, template.HTML(cell)) //nolint:gosec // docs/errors.md is ours, and is escaped
		}
		rows = append(rows, row)
	}
	return rows
}

const errorsTemplate = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Holdfast – error codes</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8886; padding: .5rem .75rem .5rem 0; text-align: left; vertical-align: top; }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
td:first-child { min-width: 15rem; }
tr:target, tr:has(:target) { background: #fd05; }
</style>
</head>
<body>
<h1>Error codes</h1>
<p>Programs read <code>code</code>: codes are stable, titles and details are for people. The <code>Request-Id</code> in the headers of an
answer finds the request in the server's log. <em>Key</em> says what a refusal does to the <code>Idempotency-Key</code>: <em>free</em>,
nothing was stored, and the key can be used again; <em>final</em>, a new attempt needs a new key. <a href="/docs">The API</a></p>
<table>
<thead><tr><th>Code</th><th>Status</th><th>Key</th><th>Meaning</th><th>What to do</th></tr></thead>
<tbody>
{{range .Codes}}<tr{{range .IDs}} id="{{.}}"{{end}}>{{range .Cells}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody>
</table>
<h2 id="fields">Codes of fields</h2>
<p>In <code>validation_failed</code>, each entry of <code>errors</code> has a code of its own.</p>
<table>
<thead><tr><th>Code</th><th>Meaning</th></tr></thead>
<tbody>
{{range .Fields}}<tr>{{range .Cells}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody>
</table>
</body>
</html>
`
