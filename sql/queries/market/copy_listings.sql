-- Every listing that counts in statistics.
copy (select * from counted_listings) to stdout (format binary);
