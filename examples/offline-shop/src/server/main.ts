import { ArgumentError, HELP, parseArguments, type ShopArguments } from './arguments.ts';
import { openShop, type Shop } from './shop.ts';

const ended = new Promise<void>((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve());
});

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let wanted: ShopArguments;
  try {
    wanted = parseArguments(args);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    process.stderr.write(`shop: ${error.message}\n`);
    return 2;
  }
  if (wanted.help) {
    process.stdout.write(HELP);
    return 0;
  }
  try {
    await using shop = await openShop(wanted);
    process.stdout.write(describe(shop));
    await ended;
    return 0;
  } catch (error) {
    process.stderr.write(`shop: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

function describe({ url, emulator: { baseUrl, apiUrl, apiKey } }: Shop): string {
  return `
  The shop          ${url}
  The service       ${baseUrl}

  What has arrived  curl -H 'Authorization: Api-Key ${apiKey}' ${apiUrl}/emulator/counts

  Ctrl-C ends both.

`;
}
