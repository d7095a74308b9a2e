// Package occupancy reads and writes claims in the database. What is written stands under the locks of its dates.
//
//	sql.go       reading claims, as rows of a result become them
//	sql_take.go  taking, keeping and freeing time
package occupancy
