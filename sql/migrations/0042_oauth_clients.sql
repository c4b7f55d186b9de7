-- A client goes when nobody lets it in within an hour, else with its last grant. None has a use for a secret.
update oauth_records c
set payload = c.payload - 'client_secret' - 'client_secret_expires_at',
  expires_at = case
    when exists (select from oauth_records g where g.model = 'Grant' and g.payload ->> 'clientId' = c.payload ->> 'client_id')
      then now() + interval '365 days'
    else c.created_at + interval '1 hour'
  end
where c.model = 'Client';
