import type { Stage } from '../stage.ts';

/** Shows how to query the service while it keeps running. */
export function showAddresses({ screen, service, customers }: Stage): void {
  const { baseUrl, apiUrl, apiKey } = service.address;
  const operator = customers[0]?.operator ?? '';
  screen.heading('The service stays up until you press Ctrl-C');
  screen.table([
    [`events are sent to       ${baseUrl}`],
    [`customers are read from  ${apiUrl}`],
    [`API key                  ${apiKey}`],
  ]);
  screen.line('');
  for (const line of [
    `KEY='Authorization: Api-Key ${apiKey}'`,
    `curl -H "$KEY" '${apiUrl}/emulator/counts?limit=5'`,
    `curl -H "$KEY" '${apiUrl}/emulator/events?limit=2'`,
    `curl -H "$KEY" -H 'Content-Type: application/json' \\`,
    `     -d '{"primary_key":"${operator}"}' ${apiUrl}/customers/read`,
  ]) {
    screen.line(`    ${line}`);
  }
}
