package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// composeSecrets are what .env has to have. The URL has no password in it, so that any password works.
var composeSecrets = []string{
	"POSTGRES_PASSWORD=superuser's", "HOLDFAST_DB_PASSWORD=p@ss/w:rd'$x",
	"HOLDFAST_ADMIN_KEY=hfa_0123456789abcdefghijklmnopqrst",
	"HOLDFAST_UNSUBSCRIBE_KEY=hfu_0123456789abcdefghijklmnopqrst",
}

func loadCompose(t *testing.T, env []string) (*types.Project, error) {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "deploy/compose/compose.yaml")},
		cli.WithEnv(env))
	require.NoError(t, err)
	return options.LoadProject(t.Context())
}

func TestCompose_WithItsSecrets_IsValid(t *testing.T) {
	t.Parallel()
	project, err := loadCompose(t, composeSecrets)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"holdfast", "postgres"}, project.ServiceNames())
	server, database := project.Services["holdfast"], project.Services["postgres"]
	require.Equal(t, types.ServiceConditionHealthy, server.DependsOn["postgres"].Condition)
	require.True(t, server.ReadOnly)
	require.Equal(t, "65532:65532", server.User)
	require.Equal(t, []string{"ALL"}, server.CapDrop)
	require.Equal(t, "127.0.0.1", server.Ports[0].HostIP, "a proxy that ends TLS stands in front")
	require.Empty(t, database.Ports, "only Holdfast reaches the database")
	require.NotNil(t, server.HealthCheck)
	require.NotNil(t, database.HealthCheck)
	shutdown, err := time.ParseDuration(*server.Environment["HOLDFAST_SHUTDOWN_TIMEOUT"])
	require.NoError(t, err)
	require.Greater(t, time.Duration(*server.StopGracePeriod), shutdown)
	requireKnown(t, "deploy/compose/compose.yaml", "HOLDFAST_DB_PASSWORD", "HOLDFAST_PUBLISH", "HOLDFAST_VERSION")
}

// A setting that the file drops does nothing in .env, and nothing says so.
func TestCompose_SettingsOfEnv_ReachTheServer(t *testing.T) {
	t.Parallel()
	fixed := []string{
		"HOLDFAST_ADDR", "HOLDFAST_ADMIN_KEY", "HOLDFAST_CELL", "HOLDFAST_CELLS", "HOLDFAST_DATABASE_URL",
		"HOLDFAST_DATA_DIR",
		"HOLDFAST_DIRECT_DATABASE_URL", "HOLDFAST_LOG_FORMAT", "HOLDFAST_SHUTDOWN_TIMEOUT", "HOLDFAST_UNSUBSCRIBE_KEY",
	}
	env := composeSecrets
	var names []string
	for _, name := range regexp.MustCompile(`(?m)^(?:HOLDFAST|OTEL)_[A-Z_]+`).FindAllString(read(t,
		"docs/configuration.md"), -1) {
		if !slices.Contains(fixed, name) {
			names, env = append(names, name), append(env, name+"=of "+name)
		}
	}
	require.NotEmpty(t, names)
	project, err := loadCompose(t, env)
	require.NoError(t, err)
	unset, err := loadCompose(t, composeSecrets)
	require.NoError(t, err)
	for _, name := range names {
		require.Contains(t, project.Services["holdfast"].Environment, name)
		value := project.Services["holdfast"].Environment[name]
		require.NotNil(t, value, name)
		require.Equal(t, "of "+name, *value)
		require.Nil(t, unset.Services["holdfast"].Environment[name], "%s isn't passed on empty", name)
	}
}

func TestCompose_WithoutASecret_IsRefused(t *testing.T) {
	t.Parallel()
	for i := range composeSecrets {
		env := append(append([]string{}, composeSecrets[:i]...), composeSecrets[i+1:]...)
		_, err := loadCompose(t, env)
		require.ErrorContains(t, err, "is missing in .env", "without %s", composeSecrets[i])
	}
}
