import type { Audience } from '../customers/audience.ts';
import { Refusal } from '../events/refusal.ts';
import { readTextBody } from '../http/request-body.ts';
import { type Application, addRoutes } from '../running/application.ts';
import type { CustomerImport } from './audience-contract.ts';
import { fieldOf, found, OPERATOR_BODY, readField, readFields, readId, readJson } from './request-query.ts';

/** Limit of a CSV file: enough for some hundred thousand customers. */
const CSV = {
  ...OPERATOR_BODY,
  advice: 'split the file, with the names of attributes in the first line of each part',
};

/** Adds the routes of the audience: the primary key, and the customers. */
export function addAudienceRoutes(routes: Application, audience: Audience): void {
  const selected = () => ({ primaryKey: audience.primaryKey });
  addRoutes(routes, '/primary-key', {
    GET: selected,
    PUT: async (context) => {
      audience.selectPrimaryKey(await readField(context, 'primaryKey'));
      return selected();
    },
  });
  addRoutes(routes, '/customers', {
    GET: ({ req }) =>
      audience.list(readFields(req, 'search', 'value', 'sort', 'descending', 'offset', 'limit')),
    POST: async (context) => {
      const value = await readJson(context);
      if (Array.isArray(value)) return { customers: audience.addCustomers(value) };
      return audience.create(fieldOf(value, 'attributes'));
    },
  });
  addRoutes(routes, '/customers/import', {
    POST: async (context) => {
      const { preview } = readFields(context.req, 'preview');
      const csv = await readTextBody(context.env.incoming, 'text/csv', CSV);
      return checkImport(await audience.import(csv, preview), preview);
    },
  });
  addRoutes(routes, '/customers/export', {
    GET: () =>
      new Response(audience.export(), {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="customers.csv"',
          'cache-control': 'no-store',
        },
      }),
  });
  addRoutes(routes, '/customers/:id', {
    GET: (context) => {
      const row = found(audience.get(readId(context.req)), 'customer');
      context.header('etag', `"${row.version}"`);
      return row;
    },
    PUT: async (context) => {
      const version = context.req.header('if-match')?.replaceAll('"', '');
      const attributes = await readField(context, 'attributes');
      return found(audience.update(readId(context.req), attributes, version), 'customer');
    },
    DELETE: ({ req }) => void found(audience.remove(readId(req)), 'customer'),
  });
}

function checkImport(result: CustomerImport, preview: boolean): CustomerImport {
  const [first] = result.problems;
  if (preview || first === undefined) return result;
  const others = result.problemCount === 1 ? '' : ` There are ${result.problemCount - 1} more problems.`;
  const message = `Nothing was imported. Line ${first.line}: ${first.message}.${others}`;
  throw new Refusal('invalid_field', message, { field: `line ${first.line}` });
}
