module example.com/migrator

go 1.26
