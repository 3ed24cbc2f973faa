const { SLUICE_URL = 'http://127.0.0.1:4100', SLUICE_API_KEY = '' } = process.env;

/** Passes the events of pages on, with the key. Yours also checks that they are the signed-in customer's. */
export async function POST(request) {
  const answer = await fetch(`${SLUICE_URL}/api/events/batch/`, {
    method: 'POST',
    headers: { authorization: `Api-Key ${SLUICE_API_KEY}`, 'content-type': 'application/json' },
    body: await request.text(),
  });
  return new Response(await answer.text(), { status: answer.status });
}
