/** A contact channel in the agents' words: "SMS", "text message", "E-mail". */
import type { ContactChannel } from '../record/contact-opt-out.ts'

const CHANNELS: Readonly<Record<string, ContactChannel>> = {
  phone: 'phone',
  call: 'phone',
  calls: 'phone',
  sms: 'sms',
  text: 'sms',
  texts: 'sms',
  textmessage: 'sms',
  textmessages: 'sms',
  email: 'email',
  emails: 'email',
}

export const lettersOf = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')

/** Returns undefined for anything else. */
export const statedChannel = (value: unknown): ContactChannel | undefined => CHANNELS[lettersOf(String(value))]
