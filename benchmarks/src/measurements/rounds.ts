/**
 * Runs every subject once in each round, one after the other, and every second round in reverse. So other work of the machine,
 * and effects of one run on the next, affect all subjects.
 */
export async function inRounds<Subject, Result>(
  rounds: number,
  subjects: readonly Subject[],
  run: (subject: Subject, round: number) => Promise<Result>,
): Promise<(subject: Subject) => readonly Result[]> {
  const results = new Map<Subject, Result[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? subjects : [...subjects].reverse();
    for (const subject of order) results.get(subject)?.push(await run(subject, round));
  }
  return (subject) => results.get(subject) ?? [];
}
