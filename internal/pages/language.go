package pages

import (
	"embed"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"

	"holdfast/internal/amount"
	"holdfast/internal/email"
)

//go:embed messages
var messageFiles embed.FS

// lang is what the pages are written in: a person's language, as far as it is among those that are offered.
type lang struct {
	tag       email.Language
	name      string // in the language itself
	localizer *i18n.Localizer
	money     amount.Style
}

// languages returns all languages by their tag. They are read when the first page is asked for: a server that shows
// none needs no memory for them.
var languages = sync.OnceValue(loadLanguages)

func loadLanguages() map[email.Language]*lang {
	bundle := i18n.NewBundle(language.English)
	bundle.RegisterUnmarshalFunc("json", json.Unmarshal)
	found := make(map[email.Language]*lang)
	for _, tag := range email.Languages {
		if _, err := bundle.LoadMessageFileFS(messageFiles, "messages/"+string(tag)+".json"); err != nil {
			// they are part of the program, and a test reads them
			panic(fmt.Sprintf("the texts of the pages in %s: %v", tag, err))
		}
	}
	for _, tag := range email.Languages {
		l := &lang{tag: tag, localizer: i18n.NewLocalizer(bundle, string(tag))}
		l.name = l.text("language_name")
		l.money = amount.Style{Decimal: l.text("money_decimal"), Thousands: l.text("money_thousands"),
			Template: l.text("money_template")}
		found[tag] = l
	}
	return found
}

// languageOf returns the language for a request: the one that its query asks for, else the best that the browser asks
// for among those that are offered, else the first.
func languageOf(c *gin.Context, offered []email.Language) *lang {
	asked := email.Language(c.Query(fieldLanguage))
	tags := make([]language.Tag, len(offered))
	for i, tag := range offered {
		if tag == asked {
			return languages()[tag]
		}
		tags[i] = language.Make(string(tag))
	}
	accepted, _, _ := language.ParseAcceptLanguage(c.GetHeader("Accept-Language"))
	_, i, _ := language.NewMatcher(tags).Match(accepted...)
	return languages()[offered[i]]
}

// text returns a text by its name. values are names and values that stand in it; one that is named Count decides about
// the plural.
func (l *lang) text(name string, values ...any) string {
	config := i18n.LocalizeConfig{MessageID: name}
	if len(values) > 0 {
		data := make(map[string]any, len(values)/2)
		for i := 0; i+1 < len(values); i += 2 {
			if key, ok := values[i].(string); ok {
				data[key] = values[i+1]
			}
		}
		config.TemplateData = data
		if count, ok := data["Count"].(int); ok {
			config.PluralCount = count
		}
	}
	text, err := l.localizer.Localize(&config)
	if err != nil {
		return name // a test asks for all texts that the pages use
	}
	return text
}

// hasText reports whether there is a text of that name.
func (l *lang) hasText(name string) bool {
	_, err := l.localizer.Localize(&i18n.LocalizeConfig{MessageID: name})
	return err == nil
}

// amount returns an amount of minor units as people write it.
func (l *lang) amount(minor int64, currency string) string { return l.money.Format(minor, currency) }
