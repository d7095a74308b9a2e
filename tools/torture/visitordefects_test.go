package torture_test

import (
	"slices"
	"testing"

	"holdfast/tools/torture"
	"holdfast/tools/torture/check"
)

// visitorDefects are of holds and payments of a website's visitors, most of whom leave in the middle.
func visitorDefects() []defect {
	return []defect{
		{
			name: "what is shipped, with visitors who leave", prepare: fastClock, rewrites: fastExpiry,
			actor: untilHoldsEnd(nil),
			plant: leavingVisitors, most: "visitor-pay", settles: true,
		},
		{
			name:   "a hold of a visitor who paid and left, which ends without a refund",
			rules:  []string{check.RuleMoney},
			detail: "hold ended", prepare: fastClock, rewrites: slices.Concat([]rewrite{{
				where: []string{"-- name: EndedBookingInsert"}, old: "OR EXISTS (", by: "OR false AND EXISTS (",
			}}, fastExpiry),
			actor: untilHoldsEnd(nil), plant: leavingVisitors, settles: true, always: true, requests: 200,
		},
		{
			name: "a visitor's key that is forgotten", rules: []string{check.RuleUnasked},
			detail: "no stored answer shows it",
			prepare: `
				CREATE FUNCTION public.forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
				CREATE TRIGGER forget BEFORE INSERT ON idempotency_keys FOR EACH ROW WHEN (starts_with(NEW.key, 'website'))
					EXECUTE FUNCTION public.forget();`,
			plant: leavingVisitors, requests: 100,
		},
	}
}

// leavingVisitors has clients hold and pay as visitors. Few of them come back.
func leavingVisitors(_ *testing.T, cfg *torture.Config) {
	cfg.Operations = operations(map[string]int{"visitor-hold": 6, "visitor-pay": 8, "visitor-confirm": 1, "cancel": 1,
		"create": 1})
}
