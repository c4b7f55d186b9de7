-- Waits for merges of parcels that are under way and keeps others out until the transaction ends; readers do not
-- notice. A parcel is so either there to be marked, or comes after the layer and is marked by its own merge.
lock table parcels in share mode
