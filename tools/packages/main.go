// Command packages builds the container image of Holdfast, without a daemon and without a base image. make packages
// calls it. The tests beside it check everything that make packages builds, and the files of deploy.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

// run builds the image of the programs that the arguments name, each as PLATFORM=FILE, such as
// linux/amd64=dist/holdfast.
func run(args []string) error {
	flags := flag.NewFlagSet("packages", flag.ContinueOnError)
	version := flags.String("version", "", "version of the programs, which becomes the image's tag")
	committed := flags.Int64("committed", 0,
		"when the version was committed, in seconds since 1970; it dates all files")
	license := flags.String("license", "LICENSE", "file of the licence")
	out := flags.String("out", "dist",
		"directory to write to: image, an OCI layout, and for each platform a file for docker load")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *version == "" || flags.NArg() == 0 {
		return errors.New("usage: packages -version VERSION [-committed SECONDS] [-license FILE] [-out DIR] PLATFORM=FILE…")
	}
	text, err := os.ReadFile(*license)
	if err != nil {
		return fmt.Errorf("read the licence: %w", err)
	}
	r := release{version: *version, committed: time.Unix(*committed, 0).UTC(), license: text}
	images := make([]platformImage, flags.NArg())
	for i, arg := range flags.Args() {
		platform, file, _ := strings.Cut(arg, "=")
		p, err := v1.ParsePlatform(platform)
		if err != nil {
			return fmt.Errorf("read the platform %s: %w", strconv.Quote(platform), err)
		}
		program, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read the program for %s: %w", platform, err)
		}
		if images[i], err = r.image(*p, program); err != nil {
			return fmt.Errorf("build the image for %s: %w", platform, err)
		}
	}
	return r.write(*out, images)
}
