module example.com/shop

go 1.26

require github.com/jackc/pgx/v5 v5.0.0

require example.com/other v0.0.0 // want "example.com/other takes advisory locks"

replace example.com/other => ./other

replace github.com/jackc/pgx/v5 => ../_pgx
