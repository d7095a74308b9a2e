package holdfast

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
)

// do sends a request. A success is returned, and so is 304; any other answer is an *Error.
func (c *Client) do(
	ctx context.Context, method, path string, params, body any, options []Option,
) (*http.Response, error) {
	call := call{header: c.header.Clone()}
	if method == http.MethodPost {
		call.header.Set("Idempotency-Key", rand.Text())
	}
	for _, option := range options {
		option(&call)
	}
	request, err := c.request(ctx, method, path, params, body)
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, call.header)
	response, err := c.doer.Do(request)
	if err != nil {
		return nil, err
	}
	if call.response != nil {
		*call.response = responseOf(response)
	}
	if response.StatusCode < http.StatusMultipleChoices || response.StatusCode == http.StatusNotModified {
		return response, nil
	}
	refusal, err := read(response)
	if err != nil {
		return nil, err
	}
	return nil, errorOf(response, refusal)
}

// request makes a request without the headers of its options.
func (c *Client) request(ctx context.Context, method, path string, params, body any) (*http.Request, error) {
	values, err := query(params)
	if err != nil {
		return nil, err
	}
	target := c.server + path
	if len(values) > 0 {
		target += "?" + values.Encode()
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode the body: %w", err)
	}
	if string(encoded) == "null" { // an operation without a body, or nil for one that needs none
		return http.NewRequestWithContext(ctx, method, target, http.NoBody)
	}
	request, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(encoded))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	return request, nil
}

// path puts the elements, such as ids, into the path of an operation.
func path(format string, elements ...any) string {
	for i, element := range elements {
		elements[i] = url.PathEscape(fmt.Sprint(element))
	}
	return fmt.Sprintf(format, elements...)
}

// query returns the query of a Params struct. The names and the values are those of its JSON.
func query(params any) (url.Values, error) {
	encoded, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("encode the parameters: %w", err)
	}
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber() // numbers stay as they are written
	if err := decoder.Decode(&fields); err != nil {
		return nil, fmt.Errorf("encode the parameters: %w", err)
	}
	values := url.Values{}
	for name, value := range fields {
		values.Set(name, fmt.Sprint(value))
	}
	return values, nil
}

// decode returns what an answer shows. It is nil if the answer leaves it out, as Prefer and IfNoneMatch ask.
func decode[T any](response *http.Response, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	body, err := read(response)
	if err != nil {
		return nil, err
	}
	if len(body) == 0 && response.StatusCode != http.StatusOK {
		return nil, nil
	}
	value := new(T)
	if err := json.Unmarshal(body, value); err != nil {
		return nil, fmt.Errorf("decode the answer: %w", err)
	}
	return value, nil
}

// discard is decode of an answer without a body.
func discard(response *http.Response, err error) error {
	if err != nil {
		return err
	}
	_, err = read(response)
	return err
}

// stream is decode of an answer that isn't JSON: the caller reads the body, and closes it.
func stream(response *http.Response, err error) (io.ReadCloser, error) {
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

// read reads the body to its end, so that the connection can be used again.
func read(response *http.Response) ([]byte, error) {
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return body, nil
}
