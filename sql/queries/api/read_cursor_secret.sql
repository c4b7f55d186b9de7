-- The installation's own key for cursors. No parameters.
select secret from cursor_secret;
