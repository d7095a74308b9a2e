// Package user has the people of a tenant who sign in to the console, and what they may do there. There are no
// passwords: a link that is sent by email signs a person in, once.
//
//   - user.go: a person, and roles with their scopes.
//   - operations.go: what can be asked of people.
//   - representation.go: a person as the API shows them.
//   - secret.go: the secrets of links and browsers, of which only hashes are stored.
//   - service.go: the use cases that change who a tenant's users are.
//   - sign_in.go: the use cases of links and sign-ins.
//   - sql.go: the statements.
//   - email.go: the kind of event that emails a link.
package user
