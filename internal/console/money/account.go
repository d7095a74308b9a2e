package money

import (
	"net/http"
	"strconv"
	"strings"

	"holdfast/internal/console/frame"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/web"
)

// routeAccount adds the pages of the business's own account at the payment provider.
func (s section) routeAccount() {
	s.Get("/payments/account", frame.NeedOf(payment.OpGetPaymentAccount), s.showAccount)
	s.Form("/payments/account", payment.OpCreatePaymentAccount, s.showAccount, 0, s.createAccount)
	s.Get("/payments/account/onboarding", frame.NeedOf(payment.OpCreateOnboardingLink), s.toOnboarding)
}

// accountPage says where payments go, and what the business's account can do.
type accountPage struct {
	payment.AccountBody

	Links        []web.NavLink
	Path         string
	NoProvider   bool // the server has none
	Disconnected bool // the business has ended the platform's access
	Topics       []string
	Refreshed    string // when the provider was asked
	Country      string // of the field
	MayAdmin     bool
}

// Fee is what the platform keeps of a payment, in percent; empty for nothing.
func (p accountPage) Fee() string {
	if p.FeeBasisPoints == 0 {
		return ""
	}
	return strings.TrimSuffix(strings.TrimRight(plainPercent(p.FeeBasisPoints), "0"), ".") + "%"
}

// plainPercent returns basis points as percent with two decimals.
func plainPercent(basisPoints int) string {
	return strconv.Itoa(basisPoints/100) + "." + strconv.Itoa(basisPoints%100/10) + strconv.Itoa(basisPoints%10)
}

// requirementWords are the topics of what a provider wants to know, where their names don't say it.
var requirementWords = map[string]string{
	"external_account": "Bank account", "tos_acceptance": "Acceptance of its terms",
	"individual": "The person behind the business",
}

func (s section) newAccountPage(v *frame.Visit) (accountPage, error) {
	page := accountPage{
		Links: moneyLinks(v), Path: v.Path("payments",
			"account"), MayAdmin: v.May(operation.ScopeAdmin), Country: v.Form.Get("country"),
	}
	a, err := s.Payments.Account(v.Context(), v.Tenant().ID)
	if problem.Is(err, problem.PaymentsNotConfigured) {
		page.NoProvider = true
		return page, nil
	}
	if err != nil {
		return page, err
	}
	page.AccountBody = a.Body()
	if page.RefreshedAt != nil {
		page.Refreshed = frame.Moment(page.RefreshedAt.In(v.Tenant().Location))
	}
	for _, topic := range page.Requirements {
		words, known := requirementWords[topic]
		switch {
		case topic == payment.Disconnected:
			page.Disconnected = true
			continue
		case !known:
			words = web.Named(strings.ReplaceAll(topic, ".", " "))
		}
		page.Topics = append(page.Topics, words)
	}
	return page, nil
}

func (s section) showAccount(v *frame.Visit) error {
	page, err := s.newAccountPage(v)
	if err != nil {
		return err
	}
	return s.Render(v, http.StatusOK, "account", "Payment account", page)
}

func (s section) createAccount(v *frame.Visit) error {
	_, err := s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		country := strings.ToUpper(strings.TrimSpace(v.Form.Get("country")))
		return s.Payments.CreateAccount(v.Context(), v.Tenant().ID, r, payment.AccountRequest{Country: country})
	})
	if problem.Is(err, problem.PaymentsNotConfigured) {
		err = problem.New(problem.InvalidState, "The operator of this server has not set up accounts of businesses.")
	}
	if err == nil {
		return v.Done("account_made", v.Path("payments", "account"))
	}
	return err
}

// toOnboarding leads to the provider's page on which the business says what the provider must know. The provider leads
// back to the page of the account, and here if the address of its page is too old.
func (s section) toOnboarding(v *frame.Visit) error {
	home := strings.TrimSuffix(s.PublicURL, "/") + v.Path("payments", "account")
	link, err := s.Payments.OnboardingLink(v.Context(), v.Tenant().ID,
		payment.OnboardingPages{ReturnURL: home, RefreshURL: home + "/onboarding"})
	if err != nil {
		return err
	}
	return v.Finish(link.URL)
}
