"""``rankcast webhooks``: encrypt the secrets that sign webhook messages."""

import typer

from rankcast.cli.exits import NEGATIVE
from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output
from rankcast.wording import counted


def encrypt_secrets(store: StorePath = DEFAULT_STORE, json: Json = False) -> None:
    """Encrypt all webhook secrets with the first key in RANKCAST_SECRET_KEY, in one transaction.

    A key is 32 random bytes in base64. While the variable is set, new secrets are stored encrypted; this command
    converts existing ones. The service needs the same variable to sign messages.

    To replace a key, put the new one before the old one, separated by a comma. Restart the service with both, run
    this command, and then remove the old key. The exit code is 1 if no key decrypts a secret; that secret stays
    unchanged.

    Example:

      export RANKCAST_SECRET_KEY="$(openssl rand -base64 32)"
      rankcast webhooks encrypt-secrets
    """
    from rankcast.store import Store, WebhookLog

    out = Output(json)
    with Store.open(store) as opened:
        counts = WebhookLog(opened.database).encrypt_secrets()
    out.done(
        f"encrypted {counted(counts.encrypted, 'plain secret')}; re-encrypted {counts.reencrypted:,} from an older key",
        {"encrypted": counts.encrypted, "reencrypted": counts.reencrypted, "unreadable": list(counts.unreadable)},
    )
    if counts.encrypted:
        out.say("free space in the store may still contain plain secrets; rewrite it with: rankcast prune --shrink")
    if counts.unreadable:
        out.say(f"no key of RANKCAST_SECRET_KEY decrypts a secret of: {', '.join(counts.unreadable)}")
        raise typer.Exit(NEGATIVE)
