-- Whether there is a region with this id. $1 region id
select from regions where id = $1
