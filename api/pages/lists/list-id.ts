import { UUID } from '../../../shared/model/uuid.ts';
import { notFound } from '../../http/error-responses.ts';
import type { Visit } from '../frame/visit.ts';

/** The list in the URL. @throws PlatError `not_found` */
export function listIdOf({ req }: Visit): string {
  const id = String(req.params.id);
  if (!UUID.test(id)) throw notFound('List not found.');
  return id;
}
