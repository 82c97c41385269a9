/** A request as the clinic's own check of its calls sees it: calls/session/signed-request.ts */
import type { Context as KoaContext } from 'koa'
import type { ReceivedRequest } from '../calls/session/signed-request.ts'
import { receivedBytes } from '../http/message/body.ts'

/** @param facts read from its body and headers */
export const receivedRequest = (
  koa: KoaContext,
  bodyBytes: number,
  facts: Pick<ReceivedRequest, 'isRepeatable' | 'namesCall'>,
): ReceivedRequest => ({
  method: koa.method,
  url: koa.url,
  header: (name) => koa.get(name),
  body: () => receivedBytes(koa, bodyBytes),
  ...facts,
})
