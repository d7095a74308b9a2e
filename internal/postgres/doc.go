// Package postgres is the embedded database: it finds (or installs), starts, supervises and stops a
// private, durable PostgreSQL cluster, so that Holdfast runs and is tested with nothing set up.
//
// # The directory
//
// Everything lies in one directory (HOLDFAST_DATA_DIR):
//
//	lock              held with flock for the life of a Server; holds its pid and the database's URL
//	data-15           the cluster of major version 15; made as data-15.tmp, then renamed
//	run               the directory of the Unix socket (or one under the temporary directory, if the
//	                  path would be longer than a socket's may be)
//	postgresql.log    what PostgreSQL logs; postgresql.log.1 is the one before
//
// # One owner
//
// The flock says which process owns the directory. The database is a child of the owner and dies with it:
// Linux sends the postmaster a signal when the thread that started it ends, which is why one locked thread
// starts every postmaster and lives as long as the Server. What an owner killed by force leaves behind is
// cleared by the next one before it starts: a postmaster that is still shutting down is waited for,
// orphaned backends are ended, a stale postmaster.pid is removed. Each postmaster carries a cluster_name
// derived from its directory, which shows in the command line of all its processes; nothing is signalled
// that doesn't carry it and doesn't belong to the right user, so that a recycled pid is safe.
//
// # Root
//
// PostgreSQL refuses to run as root, so root hands its processes to the user who owns the cluster, to
// "postgres" or to "nobody". Where that user can't enter the path (a checkout under /root), the processes
// inherit the open directory and are told to find it at /proc/self/fd/3: a path that needs no right on
// the parents and gives the process nothing else.
//
// # Access
//
// There is no TCP port and no password: only who can enter the socket's directory (mode 0700, owned by the
// database's user) can connect, as superuser.
//
//	postgres.go              Start and Stop
//	supervise.go, postmaster.go  keeping the database running, and its first process
//	cluster.go, settings.go  a data directory, and the settings that it runs with
//	account.go, socket.go    the user that it runs as, and where it is reached
//	find.go, install_apt.go, install_npm.go, unpack.go  the programs: those there are, or installed
//	lockfile.go, pidfile.go, leftovers.go  who has the directory, and what an earlier start left
//	process_linux.go, process_other.go  processes
//	logfile.go               PostgreSQL's log
package postgres
