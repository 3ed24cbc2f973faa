import { randomUUID } from 'node:crypto';
import type { Subject } from '../subjects/subject.ts';

const QUEUE_EVENTS = 1_000_000;
const BATCH_EVENTS = 500;

/** OpenTelemetry's logs: the fastest SDK with its own queue. */
export const opentelemetry: Subject = {
  name: 'OpenTelemetry',
  package: '@opentelemetry/sdk-logs',
  configuration:
    `BatchLogRecordProcessor with a queue of ${QUEUE_EVENTS.toLocaleString('en')}, batches of ${BATCH_EVENTS}, no delay; the OTLP exporter ` +
    'over HTTP with protobuf (faster than its JSON), kept alive, not compressed; one request at a time, as it is built',
  // In protobuf: the name of the attribute, the length of its value, and the length of the string in it.
  format: { mark: '\n\x04uuid\x12&\n$', reply: '' },
  load: async () => {
    const { BatchLogRecordProcessor, LoggerProvider } = await import('@opentelemetry/sdk-logs');
    const { OTLPLogExporter } = await import('@opentelemetry/exporter-logs-otlp-proto');
    return ({ baseUrl }) => {
      const processor = new BatchLogRecordProcessor({
        exporter: new OTLPLogExporter({ url: `${baseUrl}/v1/logs` }),
        maxQueueSize: QUEUE_EVENTS,
        maxExportBatchSize: BATCH_EVENTS,
        scheduledDelayMillis: 0,
      });
      const provider = new LoggerProvider({ processors: [processor] });
      const logger = provider.getLogger('bench');
      return {
        track: ({ name, correlationValue, payload }) =>
          logger.emit({
            eventName: name,
            attributes: { uuid: randomUUID(), correlationKey: 'email', correlationValue, source: 'custom' },
            body: payload,
          }),
        flush: () => provider.forceFlush(),
        close: () => provider.shutdown(),
      };
    };
  },
};
