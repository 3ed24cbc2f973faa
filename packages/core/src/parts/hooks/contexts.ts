/**
 * The page of an event: `url`, `title`, `referrer`, `language`, `viewport` (`1280x720`). Undefined where there is no page.
 *
 * @example createTracker({ baseUrl, correlationKey: 'email', context: pageContext, parts: { hooks } });
 */
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

/**
 * The process of an event: `pid`, `platform`, `arch`, `runtime` (the version of Node).
 *
 * @example createTracker({ baseUrl, apiKey, correlationKey: 'email', context: processContext });
 */
export function processContext(): Readonly<Record<string, unknown>> {
  const { arch, pid, platform, version } = process;
  return { pid, platform, arch, runtime: version };
}
