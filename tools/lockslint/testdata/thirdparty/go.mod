module example.com/shop

go 1.26

require example.com/migrator v0.0.0

require example.com/unlisted v0.0.0 // want "example.com/unlisted takes advisory locks and isn't listed"

replace example.com/migrator => ./migrator

replace example.com/unlisted => ./unlisted
