package postgres

import (
	"context"
	"maps"
	"os/exec"
	"runtime"
	"slices"
)

// chooseWALCompression chooses lz4 where the programs have it, which is from PostgreSQL 15 on and where it was built
// in, else none. The other method, pglz, slows bookings after a checkpoint: docs/benchmarks.md has a measurement.
func (c *cluster) chooseWALCompression(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, c.programs.path("postgres"), "-C", "wal_compression", "-c", "wal_compression=lz4")
	dataDir, closeDir, err := c.account.passDir(cmd, c.dataDir)
	if err != nil {
		return err
	}
	defer closeDir()
	cmd.Args = append(cmd.Args, "-D", dataDir)
	c.walCompression = "lz4"
	if _, err := c.account.run(cmd); err != nil { // it refuses the value
		c.walCompression = "off"
	}
	return ctx.Err()
}

// arguments returns the postmaster's settings as command-line options, which no configuration file and no
// ALTER SYSTEM can override. socketDir is the name under which the postmaster reaches its socket's directory.
func (c *cluster) arguments(socketDir string) []string {
	settings := map[string]string{
		// Under load a checkpoint comes after five minutes, and not each time the log has grown by half a gigabyte:
		// after each, the first change of a page is logged with the whole page. docs/benchmarks.md has the measurement.
		"max_wal_size": "4GB",

		"client_encoding":     "UTF8",
		"fsync":               "on",
		"full_page_writes":    "on",
		"jit":                 "off", // short statements: compiling them costs more than it saves
		"log_timezone":        "UTC",
		"max_connections":     "100",
		"shared_buffers":      "128MB",
		"synchronous_commit":  "on",
		"timezone":            "UTC",
		"wal_compression":     c.walCompression,
		"log_checkpoints":     "off",
		"log_destination":     "stderr",
		"logging_collector":   "off",
		"restart_after_crash": "on",
	}
	if runtime.GOOS == "linux" {
		// A statement whose client is gone ends instead of keeping its locks (not supported elsewhere).
		settings["client_connection_check_interval"] = "500ms"
	}
	if c.ephemeral {
		maps.Copy(settings, map[string]string{
			"fsync":              "off",
			"full_page_writes":   "off",
			"max_connections":    "300",
			"max_wal_senders":    "0",
			"synchronous_commit": "off",
			"wal_level":          "minimal",
		})
	}
	maps.Copy(settings, c.settings)
	maps.Copy(settings, map[string]string{
		"cluster_name":            c.name,
		"listen_addresses":        "",
		"port":                    socketPort,
		"unix_socket_directories": socketDir,
		"unix_socket_permissions": "0700",
		"update_process_title":    "on", // leftovers are recognised by it
	})
	var args []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	return args
}
