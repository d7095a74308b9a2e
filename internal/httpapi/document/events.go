package document

import "maps"

// addEvents describes what is delivered to webhook endpoints, with a schema for the events of each kind of subject.
func (d *Document) addEvents() {
	event, ok := child(d.components, "schemas")["Event"].(object)
	if !ok {
		return // no operation shows events
	}
	d.component("schemas", "EventType", object{
		"type": "string", "enum": enum(d.extras.EventTypes),
		"description": "What happened. New types come: pass over those that you don't know.",
	})
	var kinds []any
	for _, e := range d.extras.Events {
		schema := object{"type": "object", "description": "Data is " + e.About + ".", "required": event["required"],
			"additionalProperties": false}
		properties := child(schema, "properties")
		for name, property := range child(event, "properties") {
			properties[name] = plain(property)
		}
		properties["type"] = object{"type": "string", "enum": enum(e.Types)}
		properties["data"] = reference("schemas", e.Schema)
		if e.Schema == "Customer" {
			properties["data"] = object{"anyOf": []any{reference("schemas", e.Schema),
				d.component("schemas", "ErasedCustomer", object{
					"type": "object", "description": "A customer who was erased since: the id is left.",
					"additionalProperties": false,
					"properties":           object{"id": object{"type": "string", "format": "uuid"}},
					"required":             []any{"id"},
				})}}
		}
		kinds = append(kinds, d.component("schemas", e.Name, schema))
	}
	child(event, "properties")["type"] = reference("schemas", "EventType")
	d.addSignature()
	child(d.root, "webhooks")["event"] = object{"post": object{
		"operationId": "receive-event", "tags": []any{"Webhooks"}, "security": []any{},
		"summary": "An event, as it is delivered to your endpoints",
		"description": "Delivered to each endpoint that wants its type. Verify the signature of the bytes as they came, and expect an " +
			"event " +
			"twice, by its id. [How to receive webhooks](/docs/webhooks)",
		"parameters": []any{
			reference("parameters", "webhook-id"), reference("parameters", "webhook-timestamp"), reference("parameters",
				"webhook-signature"),
		},
		"requestBody": object{
			"required": true,
			"content": object{"application/json": object{"schema": d.component("schemas", "WebhookEvent",
				object{"oneOf": kinds})}},
		},
		"responses": object{
			"2XX":     object{"description": "The delivery is complete."},
			"410":     object{"description": "No more webhooks, please: the endpoint becomes gone."},
			"default": object{"description": "Tried again, up to ten times in three days; after 429 and 503 not before Retry-After."},
		},
	}}
}

// plain returns a property without its description, which stands at the schema Event.
func plain(property any) any {
	p := maps.Clone(property.(object))
	delete(p, "description")
	return p
}

// addSignature describes the headers of a delivery.
func (d *Document) addSignature() {
	text := object{"type": "string"}
	for name, p := range map[string]struct{ description, example string }{
		"webhook-id": {"The event's id: the same in every attempt and replay.",
			"0197f0c6-3b7e-7c31-8a5e-0d0c5f6b7a10"},
		"webhook-timestamp": {"When the attempt was made, in seconds since 1970.", "1782892800"},
		"webhook-signature": {"Signatures of Standard Webhooks, separated by blanks: v1, and the HMAC-SHA256 of id.timestamp.body, in " +
			"base64.",
			"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="},
	} {
		d.component("parameters", name, object{
			"name": name, "in": "header", "required": true, "description": p.description, "example": p.example,
			"schema": text,
		})
	}
}
