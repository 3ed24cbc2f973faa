import type { Answer } from './answer.ts';
import type { AuditRequest } from './audit.ts';
import { ForkedProcess } from './forked-process.ts';
import type { ReceiverTold } from './messages.ts';
import type { WireFormat } from './wire-format.ts';

/** The receiver in a child process, as its parent uses it. */
export class Receiving implements AsyncDisposable {
  readonly baseUrl: string;
  readonly #process: ForkedProcess<ReceiverTold>;

  private constructor(process: ForkedProcess<ReceiverTold>, baseUrl: string) {
    this.#process = process;
    this.baseUrl = baseUrl;
  }

  /**
   * @param answers How it treats the first requests. It takes all others.
   * @param format The wire format of the senders. Default: Sluice's.
   */
  static async start(answers: readonly Answer[] = [], format: WireFormat = {}): Promise<Receiving> {
    const script = new URL('./receiver-process.js', import.meta.url);
    const process = new ForkedProcess<ReceiverTold>(script, { answers, format });
    const { baseUrl } = await process.expect('ready');
    return new Receiving(process, baseUrl);
  }

  /** What has arrived since the last count. */
  count(): Promise<Extract<ReceiverTold, { type: 'counted' }>> {
    this.#process.tell({ type: 'count' });
    return this.#process.expect('counted');
  }

  audit(request: AuditRequest): Promise<Extract<ReceiverTold, { type: 'audited' }>> {
    this.#process.tell({ type: 'audit', ...request });
    return this.#process.expect('audited');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]();
  }
}
