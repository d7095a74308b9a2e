package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/app"
	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
	"holdfast/internal/user"
)

const (
	demoKeyFile = "demo-api-key"
	demoOwner   = "ada@harbour-tours.example"
)

// seedDemo makes a demo tenant in an empty database and prints how to call the server.
func seedDemo(ctx context.Context, c *Config, s *app.App, url string) error {
	empty, err := s.DB().Empty(ctx)
	if err != nil {
		return err
	}
	if empty {
		created, err := createTenant(ctx, s.Tenants,
			tenant.CreateRequest{Slug: "demo", Name: "Harbour Tours", TimeZone: "Europe/Berlin", Currency: "EUR"})
		switch {
		case problem.Is(err, problem.AlreadyExists): // a row that this login may not see, or another instance was first
		case err != nil:
			return fmt.Errorf("create the demo tenant: %w", err)
		default:
			if err := c.writeSecret(demoKeyFile, created.APIKey); err != nil {
				return err
			}
			t, err := s.Tenants.Authenticate(ctx, created.APIKey)
			if err != nil {
				return err
			}
			if err := stockDemo(ctx, s.Catalog, t); err != nil {
				return fmt.Errorf("create the demo services: %w", err)
			}
			if err := setUpDemo(ctx, s.Settings, t); err != nil {
				return fmt.Errorf("set up the demo tenant: %w", err)
			}
			owner := user.UserSpec{Email: demoOwner, Name: "Ada Lovelace", Role: user.RoleOwner}
			if _, err := inviteUser(ctx, s.Users, t, owner); err != nil {
				return fmt.Errorf("invite the demo tenant's owner: %w", err)
			}
		}
	}
	fmt.Printf("\nHoldfast serves %s\n", url)
	fmt.Printf("  The API is described at %s/docs\n", url)
	fmt.Printf("  People book at %s/book/demo\n", url)
	if err := c.printMailDir(); err != nil {
		return err
	}
	if c.AdminKey == "" {
		fmt.Printf("  The key of the admin API is in %s\n", c.file(adminKeyFile))
	}
	key, err := c.readSecret(demoKeyFile)
	if err != nil {
		return err
	}
	if key == "" {
		_, err := fmt.Printf("The database holds tenants already; ask the admin API for an API key of one of them.\n\n")
		return err
	}
	t, err := s.Tenants.Authenticate(ctx, key)
	if problem.Is(err, problem.Unauthenticated) {
		_, err := fmt.Printf("The demo tenant's API key in %s doesn't fit this database.\n\n", c.DataDir)
		return err
	}
	if err != nil {
		return err
	}
	if err := printDemoLink(ctx, s.Users, t); err != nil {
		return err
	}
	fmt.Printf("  The API key of the tenant %s is in %s\n\n", t.Slug, c.file(demoKeyFile))
	return printCalls(ctx, c, s, t, url)
}

// printDemoLink prints a link by which the demo tenant's owner signs in, if there is one still.
func printDemoLink(ctx context.Context, users *user.Service, t tenant.Tenant) error {
	owner, err := users.WithEmail(ctx, t, demoOwner)
	if problem.Is(err, problem.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	link, err := users.NewLink(ctx, t, owner.ID, user.InvitationTime)
	if err == nil {
		_, err = fmt.Printf("  The business signs in, once, at %s\n", link)
	}
	return err
}

// stockDemo gives the demo tenant boats with skippers and a hall, and three services: a whole day, a tour whose guests
// share a boat, and a charter that takes a whole boat and one of the skippers.
func stockDemo(ctx context.Context, catalogs *catalog.Service, t tenant.Tenant) error {
	hours := timetable.Hours{}
	for day := time.Sunday; day <= time.Saturday; day++ {
		hours.Weekly = append(hours.Weekly, timetable.WeeklyHours{Weekday: day, Opens: 9 * 60, Closes: 18 * 60})
	}
	ids := make(map[string]uuid.UUID)
	for _, r := range []catalog.Resource{
		{Name: "Boat 1", Capacity: 10, Hours: hours},
		{Name: "Boat 2", Capacity: 10, Hours: hours},
		{Name: "Skipper Ada", Capacity: 1},
		{Name: "Skipper Ben", Capacity: 1},
		{Name: "Old Hall", Capacity: 1},
	} {
		request, err := once("resource " + r.Name)
		if err != nil {
			return err
		}
		made, err := catalogs.CreateResource(ctx, t, request, r)
		if err != nil {
			return err
		}
		ids[r.Name] = made.ID
	}
	for _, svc := range []catalog.ServiceSpec{
		{
			Name: "Wedding day", Spec: timetable.Spec{
				Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{ids["Old Hall"]}, MinLeadMinutes: 24 * 60,
				BookingWindowDays: new(730), Price: 250_000, Deposit: 50_000,
			},
		},
		{
			Name: "Harbour tour", Spec: timetable.Spec{
				Kind:                timetable.KindSlot,
				ResourceIDs:         []uuid.UUID{ids["Boat 1"], ids["Boat 2"]},
				DurationMinutes:     60,
				SlotIntervalMinutes: 30,
				BufferAfterMinutes:  15,
				BookingWindowDays:   new(365),
				Price:               4_500,
				Deposit:             1_000,
				Pricing:             timetable.Pricing{PricePer: timetable.PerUnit},
				Occupies:            timetable.OccupiesSession,
			},
		},
		{
			Name: "Sunset charter", Spec: timetable.Spec{
				Kind:                timetable.KindSlot,
				DurationMinutes:     180,
				SlotIntervalMinutes: 60,
				MinLeadMinutes:      120,
				BookingWindowDays:   new(365),
				Price:               60_000,
				Deposit:             15_000,
				Occupies:            timetable.OccupiesWhole,
				Needs: []timetable.Need{
					{ResourceIDs: []uuid.UUID{ids["Boat 2"]}},
					{ResourceIDs: []uuid.UUID{ids["Skipper Ada"], ids["Skipper Ben"]}, Choose: timetable.ChooseInTurn},
				},
			},
		},
	} {
		request, err := once("service " + svc.Name)
		if err != nil {
			return err
		}
		if _, err := catalogs.CreateService(ctx, t, request, svc); err != nil {
			return err
		}
	}
	return nil
}

// printCalls prints calls that work when they are pasted: what is free, a booking, reading it back, and, with the
// sandbox, paying its deposit.
func printCalls(ctx context.Context, c *Config, s *app.App, t tenant.Tenant, url string) error {
	services, err := s.Catalog.Services(ctx, t, catalog.ListQuery{Limit: 1})
	if err != nil || len(services) == 0 {
		return err
	}
	service := services[0]
	today := civil.DateOf(time.Now().In(t.Location))
	page, err := s.Bookings.Availability(ctx, t, service.ID, timetable.AvailabilityQuery{
		From: today, To: today.AddDays(timetable.MaxAvailabilityDays - 1), PartySize: 1, DaysOnly: true,
	})
	if err != nil {
		return err
	}
	for d := range page.Days() {
		if !d.Available {
			continue
		}
		_, err := fmt.Printf(`Try it:

URL=%[1]s AUTH="Authorization: Bearer $(cat %[2]s)" JSON='Content-Type: application/json'
curl -s -H "$AUTH" "$URL/v1/services/%[3]s/availability?from=%[4]s&to=%[4]s"; echo
curl -s -H "$AUTH" -H "$JSON" -H 'Idempotency-Key: %[5]s' $URL/v1/bookings -d '{"service_id": "%[3]s", `+
			`"date": "%[4]s", "customer": {"name": "Ada Lovelace", "email": "ada@example.com"}}'; echo
curl -s -H "$AUTH" "$URL/v1/bookings?from=%[4]s&to=%[4]s"; echo
`, url, shellQuoted(c.file(demoKeyFile)), service.ID, d.Date, uuid.NewString())
		if err == nil && c.Provider == providerSandbox {
			_, err = fmt.Printf(`BOOKING=$(curl -s -H "$AUTH" "$URL/v1/bookings?from=%[1]s&to=%[1]s" | cut -d '"' -f 6)
curl -s -H "$AUTH" -H "$JSON" -H 'Idempotency-Key: %[2]s' $URL/v1/bookings/$BOOKING/payments `+
				`-d '{"kind": "deposit", "payment_method": "pm_ok"}'; echo
`, d.Date, uuid.NewString())
		}
		fmt.Println()
		return err
	}
	return nil
}

// shellQuoted returns text as one word of a POSIX shell.
func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
