/** DocumentReference: its subject exists, and its attachments are what they say. https://hl7.org/fhir/R4/documentreference.html */
import { createHash } from 'node:crypto'
import type { Attachment, DocumentReference } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { defineProvider } from '../core/provider.ts'
import { standard } from '../core/standard.ts'
import { unprocessable } from '../fhir/outcome.ts'
import { localReference } from '../fhir/reference.ts'
import type { AnyResource } from '../fhir/resource.ts'

export const documentReference = defineProvider('DocumentReference', {
  interactions: {
    ...standard,
    create: async (ctx, resource) => {
      const document = asDocument(resource)
      await checkSubject(ctx, document)
      return standard.create(ctx, withMeasures(document))
    },
    update: async (ctx, resource) => {
      const document = asDocument(resource)
      const before = await ctx.find<DocumentReference>('DocumentReference', resource.id)
      // A document can be withdrawn although its patient was deleted meanwhile.
      if (before?.resource.subject?.reference !== document.subject?.reference) await checkSubject(ctx, document)
      return standard.update(ctx, { ...withMeasures(document), id: resource.id })
    },
  },
  combined: [{ equal: ['patient'], range: 'date' }],
})

const asDocument = (resource: AnyResource): DocumentReference => resource as DocumentReference

const withMeasures = (document: DocumentReference): DocumentReference => ({
  ...document,
  content: document.content.map((item, index) => ({
    ...item,
    attachment: measured(item.attachment, `DocumentReference.content[${index}].attachment`),
  })),
})

const SUBJECTS = ['Patient', 'Practitioner', 'Group', 'Device']

/** A document without a subject is never found; another clinic's patient must look like one that does not exist. */
async function checkSubject(ctx: Context, { subject }: DocumentReference): Promise<void> {
  const expression = 'DocumentReference.subject'
  if (subject === undefined)
    throw unprocessable('DocumentReference.subject is missing; name the patient as {"reference": "Patient/<id>"}', {
      expression,
    })
  const { type = '', id = '', version } = localReference(subject.reference ?? '', ctx.baseUrl) ?? {}
  if (!SUBJECTS.includes(type) || version !== undefined) {
    throw unprocessable(
      `DocumentReference.subject.reference is '${subject.reference ?? ''}'; name a Patient, Practitioner, Group or Device of this clinic as Patient/<id>`,
      { expression: `${expression}.reference` },
    )
  }
  if ((await ctx.find(type, id)) === undefined) {
    throw unprocessable(`DocumentReference.subject: there is no ${type} with id '${id}' in this clinic`, {
      expression,
      reason: 'subject-not-found',
    })
  }
}

/**
 * The attachment with `size` (bytes) and `hash` (base64 SHA-1) of its decoded data, computed where absent.
 * @throws FhirError 422 where the data is not base64, or size or hash are another's.
 */
function measured(attachment: Attachment, expression: string): Attachment {
  if (attachment.data === undefined) return attachment
  const bytes = decode(attachment.data, `${expression}.data`)
  const hash = createHash('sha1').update(bytes).digest('base64')
  mustEqual(attachment.size, bytes.length, `${expression}.size`, 'bytes of the decoded data')
  mustEqual(attachment.hash, hash, `${expression}.hash`, 'base64 SHA-1 of the decoded data')
  return { ...attachment, size: bytes.length, hash }
}

function decode(data: string, expression: string): Buffer {
  const compact = data.replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 !== 0) {
    throw unprocessable(`${expression} is not base64 (RFC 4648, with padding)`, { expression })
  }
  return Buffer.from(compact, 'base64')
}

function mustEqual<T extends string | number>(given: T | undefined, right: T, expression: string, what: string): void {
  if (given === undefined || given.valueOf() === right) return
  throw unprocessable(`${expression} is ${given}, but the ${what} is ${right}; leave it out or send the right one`, {
    expression,
  })
}
