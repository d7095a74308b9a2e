#!/bin/sh
# The image of PostgreSQL runs it once, when it has made its cluster: the login and the database of Holdfast, which is no superuser.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$HOLDFAST_DB_PASSWORD" --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
CREATE ROLE holdfast LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE holdfast OWNER holdfast;
SQL
