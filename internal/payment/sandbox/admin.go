package sandbox

import (
	"net/http"
	"net/url"
	"time"
)

// faultDocument is a Fault in the API, with durations in milliseconds.
type faultDocument struct {
	Fault
	DelayMS int64 `json:"delay_ms,omitzero"`
	ForMS   int64 `json:"for_ms,omitzero"`
}

func (s *Server) getFaults(*http.Request) response {
	var all list[faultDocument]
	for _, f := range s.faults.list() {
		all.Data = append(all.Data,
			faultDocument{Fault: f, DelayMS: f.Delay.Milliseconds(), ForMS: f.For.Milliseconds()})
	}
	return jsonResponse(http.StatusOK, all)
}

func (s *Server) postFault(r *http.Request) response {
	var d faultDocument
	if err := decode(r, &d); err != nil {
		return s.failure(err)
	}
	if longest := int64(1<<63-1) / int64(time.Millisecond); min(d.DelayMS, d.ForMS) < 0 ||
		max(d.DelayMS, d.ForMS) > longest {
		return errorResponse(http.StatusBadRequest, codeInvalid, "delay_ms or for_ms is negative or too large.")
	}
	f := d.Fault
	f.Delay, f.For = time.Duration(d.DelayMS)*time.Millisecond, time.Duration(d.ForMS)*time.Millisecond
	if err := f.check(); err != nil {
		return errorResponse(http.StatusBadRequest, codeInvalid, err.Error())
	}
	if f.Kind == Down { // after the response, which would otherwise be cut off
		s.background.Go(func() { s.stopServing(f.For) })
	} else {
		s.faults.add(f)
	}
	return jsonResponse(http.StatusCreated, d)
}

func (s *Server) deleteFaults(*http.Request) response {
	s.ClearFaults()
	return jsonResponse(http.StatusOK, list[faultDocument]{})
}

type webhookDocument struct {
	URL string `json:"url"`
}

func (s *Server) putWebhook(r *http.Request) response {
	var d webhookDocument
	if err := decode(r, &d); err != nil {
		return s.failure(err)
	}
	if u, err := url.Parse(d.URL); d.URL != "" &&
		(err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return errorResponse(http.StatusBadRequest, codeInvalid, "url must be an absolute http or https URL, or empty.")
	}
	s.SetWebhook(d.URL)
	return jsonResponse(http.StatusOK, d)
}
