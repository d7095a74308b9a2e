package operator_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

func testNow() time.Time { return testtime.Now() }

// fill makes an hour of figures.
func (s *server) fill() {
	register := promauto.With(s.registry)
	ready := register.NewGauge(prometheus.GaugeOpts{Name: "holdfast_ready", Help: "1 if the database answers, else 0."})
	due := register.NewGaugeVec(prometheus.GaugeOpts{
		Name: "holdfast_events_oldest_due_seconds", Help: "Time since the oldest due event was due; 0 if none is.",
	}, []string{"kind"})
	shed := register.NewGauge(prometheus.GaugeOpts{
		Name: "holdfast_feed_relay_lag_seconds", Help: "Time since the oldest change was recorded that isn't planned.",
	})
	s.sample(func(minute float64) {
		ready.Set(1)
		wave := math.Sin(minute/7) + 1
		due.WithLabelValues("booking.hold_expiry").Set(12 * wave)
		due.WithLabelValues("webhook.delivery").Set(minute + 8*wave)
		due.WithLabelValues("payment.resolution").Set(4 * wave)
		shed.Set(20 * wave)
	})
}

// walk opens each page in each state that the operator sees, and calls look there.
func walk(t *testing.T, d pagetest.Device, look pagetest.Look) {
	t.Helper()
	s := newServer(t)
	id, key := s.addTenant(t, "harbour", "Harbour Tours")
	suspended, _ := s.addTenant(t, "lakeside", "Lakeside Sauna and Boat Hire")
	s.call(t, http.MethodPost, "/admin/v1/tenants/"+suspended.String()+"/suspend", adminKey,
		object{"reason": "Invoice 4711 is unpaid."})
	s.call(t, http.MethodPost, user.Path, key,
		object{"email": "grace@harbour.example", "name": "Grace Hopper", "role": "owner"})
	s.fill()
	b := pagetest.NewBrowser(t, d)
	home := s.url + "/operator"
	b.Open(t, home+"/sign-in")
	look(b, "operator-sign-in")
	b.Fill(t, "admin_key", "wrong")
	b.Fill(t, "name", "Ada, support")
	b.Press(t, "Sign in")
	look(b, "operator-sign-in-wrong")
	b.Fill(t, "admin_key", adminKey)
	b.Press(t, "Sign in")
	b.Await(t, "Tenants")
	look(b, "operator-tenants")
	b.Open(t, home+"/new-tenant")
	look(b, "operator-new-tenant")
	one := home + "/tenants/" + id.String()
	b.Open(t, one)
	look(b, "operator-tenant")
	b.Open(t, home+"/tenants/"+suspended.String())
	look(b, "operator-tenant-suspended")
	b.Open(t, one+"/api-keys")
	look(b, "operator-api-keys")
	b.Open(t, one+"/users")
	look(b, "operator-users")
	b.Run(t, chromedp.Click(chromedp.CSS("form[action$='/link'] button")),
		chromedp.WaitVisible(chromedp.CSS("dialog h1")))
	look(b, "operator-link")
	today := testtime.Date(0).String()
	b.Open(t, one+"/money?from="+today+"&to="+today)
	look(b, "operator-money")
	b.Open(t, one+"/end")
	look(b, "operator-end")
	b.Open(t, home+"/locks")
	look(b, "operator-locks-none")
	_, lockKey := dateLock(t, id)
	s.hold(t, lockKey)
	s.wait(t, lockKey)
	b.Open(t, home+"/locks")
	b.Run(t, chromedp.Click(chromedp.CSS("[data-pause] button")))
	look(b, "operator-locks")
	b.Open(t, home+"/metrics")
	look(b, "operator-metrics")
	b.Open(t, home+"/tenants/nothing")
	look(b, "operator-failure")
}

func TestOperator_EachPage_FollowsWCAG(t *testing.T) {
	t.Parallel()
	walk(t, pagetest.Desktop,
		func(b *pagetest.Browser, name string) { b.RequireAccessible(t, name, pagetest.Everywhere()...) })
}

func TestOperator_Pictures(t *testing.T) {
	t.Parallel()
	pagetest.TakePictures(t, walk)
}
