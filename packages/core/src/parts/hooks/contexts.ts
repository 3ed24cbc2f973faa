/** The page of an event, for `context: pageContext`. Evaluated with each event. */
export function pageContext(): Readonly<Record<string, unknown>> {
  const { document, location, navigator, innerWidth, innerHeight } = globalThis;
  return {
    url: location?.href,
    title: document?.title,
    referrer: document?.referrer,
    language: navigator?.language,
    viewport: `${innerWidth}x${innerHeight}`,
  };
}

/** The process of an event, for `context: processContext`. */
export function processContext(): Readonly<Record<string, unknown>> {
  const { arch, pid, platform, version } = process;
  return { pid, platform, arch, runtime: version };
}
