package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// fileSuffix is what the variable of a secret has at its end that names a file with the secret, as container engines
// and systemd (LoadCredential) hand secrets over.
const fileSuffix = "_FILE"

// secretFile reads a secret from the file that the environment names, for a setting whose tag says that it may hold
// one. The variable itself and its file exclude each other. Spaces and the line's end around the secret aren't part of
// it.
func secretFile(f *kong.Flag) (any, error) {
	if len(f.Envs) == 0 || f.Tag.Get("secret") != "true" {
		return nil, nil //nolint:nilnil // kong: nothing is known here
	}
	name := f.Envs[0]
	path := os.Getenv(name + fileSuffix)
	switch {
	case path == "":
		return nil, nil //nolint:nilnil // kong: nothing is known here
	case os.Getenv(name) != "":
		return nil, fmt.Errorf("%s and %s exclude each other", name, name+fileSuffix)
	}
	text, err := os.ReadFile(path) //nolint:gosec // G703: the operator names the file
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name+fileSuffix, err)
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" {
		return nil, fmt.Errorf("%s: the file is empty", name+fileSuffix)
	}
	return secret, nil
}

// secretFiles has kong ask secretFile for each setting that no flag gives.
var secretFiles = kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any,
	error) {
	return secretFile(f)
})
