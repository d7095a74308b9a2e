package catalog

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/catalog"
	"holdfast/internal/console/form"
	"holdfast/internal/tenant"
)

// filledBlock returns the document that the form of a block makes, with the rule.
func filledBlock(given url.Values) (form.Document, error) {
	d, err := blockForm(tenant.Tenant{Currency: "EUR", Location: time.UTC}, nil).Document(given)
	if err == nil {
		err = setRule(d)
	}
	return d, err
}

func TestRepetition_InFields_MakesTheRule(t *testing.T) {
	t.Parallel()
	for want, given := range map[string]url.Values{
		"FREQ=WEEKLY;UNTIL=20271231": {"repeat.each": {"WEEKLY"}, "repeat.until": {"2027-12-31"}},
		"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;COUNT=10": {"repeat.each": {"WEEKLY"}, "repeat.interval": {"2"},
			"repeat.weekdays": {"monday", "thursday"}, "repeat.count": {"10"}},
		"FREQ=YEARLY;COUNT=3":               {"repeat.each": {"YEARLY"}, "repeat.count": {"3"}, "repeat.interval": {"1"}},
		"FREQ=MONTHLY;BYDAY=1MO;COUNT=3":    {"repeat.each": {"rule"}, "rrule": {"FREQ=MONTHLY;BYDAY=1MO;COUNT=3"}},
		"FREQ=DAILY;WKST=SU;UNTIL=20270801": {"repeat.each": {"rule"}, "rrule": {"FREQ=DAILY;WKST=SU;UNTIL=20270801"}},
		"FREQ=WEEKLY;COUNT=2;BYDAY=TH":      {"repeat.each": {"rule"}, "rrule": {"FREQ=WEEKLY;COUNT=2;BYDAY=TH"}},
	} {
		given.Set("from", "2027-07-01") // a Thursday
		d, err := filledBlock(given)
		require.NoError(t, err, want)
		require.Equal(t, want, d["rrule"])
		require.NotContains(t, d, "repeat")

		shown, err := blockForm(tenant.Tenant{Currency: "EUR", Location: time.UTC}, nil).Values(
			shownBlock(catalog.BlockSpec{RRule: &want, From: new("2027-07-01")}))
		require.NoError(t, err)
		again, err := filledBlock(shown)
		require.NoError(t, err, want)
		require.Equal(t, want, again["rrule"], "the form shows it as it is")
	}
	once, err := filledBlock(url.Values{"from": {"2027-07-01"}})
	require.NoError(t, err)
	require.Nil(t, once["rrule"])
}

func TestRepetition_ThatSaysTooLittle_IsRefusedBesideItsField(t *testing.T) {
	t.Parallel()
	for want, given := range map[string]url.Values{
		"repeat.until: required":    {"repeat.each": {"WEEKLY"}},
		"rrule: required":           {"repeat.each": {"rule"}},
		"repeat.each: required":     {"repeat.until": {"2027-12-31"}},
		"repeat.weekdays: excluded": {"repeat.each": {"DAILY"}, "repeat.weekdays": {"monday"}, "repeat.count": {"2"}},
		"repeat.weekdays: first_not_in_rule": {"repeat.each": {"WEEKLY"}, "repeat.weekdays": {"monday"},
			"repeat.count": {"2"}, "from": {"2027-07-01"}},
		"rrule: excluded": {"repeat.each": {"WEEKLY"}, "repeat.count": {"2"}, "rrule": {"FREQ=DAILY;COUNT=3"}},
	} {
		_, err := filledBlock(given)
		require.ErrorContains(t, err, want)
	}
	_, err := filledBlock(url.Values{"repeat.each": {"WEEKLY"}, "repeat.count": {"2"}, "repeat.until": {"2027-07-01"}})
	require.ErrorContains(t, err, "repeat.until: required", "one of them ends it")
}
