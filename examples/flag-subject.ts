/** A provider with a rule: a Flag is only raised for a patient of the clinic who exists. */
import { type AnyResource, type Context, defineExtension, defineProvider, standard, unprocessable } from 'sandbox-emr'

interface Flag extends AnyResource {
  readonly subject?: { readonly reference?: string }
}

/** @throws FhirError 422 when there is no such patient; then nothing of the change is written */
async function checkSubject(ctx: Context, flag: Flag): Promise<void> {
  const reference = flag.subject?.reference ?? ''
  const id = /^Patient\/([^/]+)$/.exec(reference)?.[1]
  if (id !== undefined && (await ctx.find('Patient', id)) !== undefined) return
  throw unprocessable(`Flag.subject is '${reference}'; name a patient of this clinic as Patient/<id>`, {
    expression: 'Flag.subject',
  })
}

const flag = defineProvider('Flag', {
  interactions: {
    ...standard,
    create: async (ctx, resource) => {
      await checkSubject(ctx, resource)
      return standard.create(ctx, resource)
    },
    // A patch goes through update.
    update: async (ctx, resource) => {
      await checkSubject(ctx, resource)
      return standard.update(ctx, resource)
    },
  },
})

export const extension = defineExtension({ name: 'flag-subject', providers: [flag] })
