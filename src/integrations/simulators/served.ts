/**
 * The simulators as this server serves them, in demo mode, so that the demo runs the same connectors as the systems of
 * clinics; where none is served, they answer within the process. docs/simulators.md
 */
import { SIMULATOR } from '../../clinics/setting-checks.ts'
import type { WebhookSettings } from '../../clinics/webhook-settings.ts'
import type { Delivery, TellExchange } from '../../core/ports.ts'
import type { ConnectedSystem } from '../../record/journal/exchange.ts'
import { postSigned, type WebhookEvent } from '../exchange.ts'
import { about, type Outbound, telling } from '../outbound-request.ts'
import { simulatedDelivery, type WebhookSystem } from './recipients.ts'

interface ServedSimulator {
  readonly url: string
  /** The webhook secret of the service. */
  readonly token: string
}

/** The address of the simulator of a system; undefined where this server serves none, or does not listen. */
export type ServedSimulators = (system: ConnectedSystem) => ServedSimulator | undefined

/** Requests to a simulator, which has this server's own address, whether clinics may reach it or not. */
export const toOwn = (outbound: Outbound, clinic: string, system: ConnectedSystem): Outbound => ({
  ...about(outbound, clinic, system, true),
  allowPrivate: true,
})

/** The settings of a webhook to a simulator: its key is the webhook secret of the service. */
export const simulatedWebhook = ({ url, token }: ServedSimulator): Pick<WebhookSettings, 'url' | 'secret'> => ({
  url,
  secret: `whsec_${Buffer.from(token).toString('base64')}`,
})

type PostEvent = (
  settings: WebhookSettings,
  event: WebhookEvent & { readonly data: { readonly clinic: string } },
  tell?: TellExchange,
) => Promise<Delivery>

/** Signed webhooks to the system of a clinic, or to the simulator that its settings name. @param receiver its name in reasons */
export const webhookOf =
  (
    system: WebhookSystem,
    receiver: string,
    parts: { readonly outbound: Outbound; readonly simulators: ServedSimulators | undefined },
  ): PostEvent =>
  async (settings, event, tell) => {
    const { clinic } = event.data
    const outbound = telling(parts.outbound, tell)
    if (settings.url !== SIMULATOR) return await postSigned(settings, event, receiver, about(outbound, clinic, system))
    const served = parts.simulators?.(system)
    if (served === undefined) return simulatedDelivery(system, event, { receiver, ...outbound })
    return await postSigned(simulatedWebhook(served), event, receiver, toOwn(outbound, clinic, system))
  }
