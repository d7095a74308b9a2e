module example.com/shop

go 1.26

require github.com/jackc/pgx/v5 v5.0.0

replace github.com/jackc/pgx/v5 => ../_pgx
