"""Reports: figures of regions, put together and sent. The nightly-report flow uses them."""

from django.db import transaction

from demo.behaviour import demo_function
from demo.functions.outbox import REFUSES, post
from demo.functions.records import end, find, once
from demo.functions.schemas import READ, WRITE, Schema, count, flag, gives, listing, optional, takes, text, undone_by
from demo.models import RegionFigure, Report, Status
from flows.registry import Arguments, CallContext, FunctionError, Json

_SALES: Schema = {"type": "number", "title": "Sales"}
_FIGURE: Schema = {"type": ["object", "null"], "properties": {"sales": _SALES}, "required": ["sales"]}


@demo_function(
    "/reports/read",
    title="Read a region's figures",
    description="Reads yesterday's sales of a region. The admin shows the regions under Region figures; any other "
    "fails with code unknown_region.",
    category="Reports",
    input_schema=takes({"region": text("Region")}),
    output_schema=gives({"region": text("Region"), "sales": _SALES}),
    **READ,
)
def read_region(arguments: Arguments, ctx: CallContext) -> Json:
    region = arguments["region"]
    found = RegionFigure.objects.filter(region=region).first()
    if found is None:
        known = ", ".join(RegionFigure.objects.values_list("region", flat=True))
        raise FunctionError(f"There is no region {region!r}. There is: {known}.", code="unknown_region", status=404)
    return {"region": region, "sales": found.sales}


@demo_function(
    "/reports/build",
    title="Build the report",
    description="Puts the figures together and picks out odd ones: below half or above double of what is usual.",
    category="Reports",
    input_schema=takes(
        {
            "figures": listing("Figures, one for each region; null where it could not be read", _FIGURE),
            "regions": listing("Regions", text("Region")),
        }
    ),
    output_schema=gives(
        {
            "report": text("Number of the report"),
            "odd": listing("Odd figures", gives({"region": text("Region"), "sales": _SALES, "usual": _SALES})),
            "missing": listing("Regions that could not be read", text("Region")),
        }
    ),
    resources={"report": "${output.report}"},
    compensation=undone_by("/reports/discard", report="${output.report}"),
    **WRITE,
)
def build_report(arguments: Arguments, ctx: CallContext) -> Json:
    read = zip(arguments["regions"], arguments["figures"], strict=False)  # a loop that ended early has fewer figures
    figures = {region: figure["sales"] for region, figure in read if figure is not None}
    report, _ = once(Report, ctx, figures=figures, odd=_odd(figures))
    missing = [region for region in arguments["regions"] if region not in report.figures]
    return {"report": report.number, "odd": report.odd, "missing": missing}


def _odd(figures: dict[str, float]) -> list[Json]:
    usual = dict(RegionFigure.objects.values_list("region", "usual"))
    return [
        {"region": region, "sales": sales, "usual": usual[region]}
        for region, sales in figures.items()
        if region in usual and not usual[region] / 2 <= sales <= usual[region] * 2
    ]


@demo_function(
    "/reports/discard",
    title="Discard a report",
    description="Throws a report away. One that was sent cannot be discarded.",
    category="Reports",
    input_schema=takes({"report": text("Number of the report")}),
    output_schema=gives({"discarded": flag("Discarded")}),
    **WRITE,
)
def discard_report(arguments: Arguments, ctx: CallContext) -> Json:
    report = find(Report, arguments["report"])
    end(report, Status.TAKEN_BACK, refusal=f"{report.number} was sent already.")
    return {"discarded": True}


@demo_function(
    "/reports/send",
    title="Send a report",
    description=f"Puts the report into the demo's outbox, one mail for all recipients. {REFUSES}",
    category="Reports",
    input_schema=takes(
        {
            "report": text("Number of the report"),
            "to": optional(listing("Recipients", text("Recipient"))),
            "checked_by": optional(text("Who looked at the odd figures")),
            "remark": optional(text("Remark")),
        }
    ),
    output_schema=gives({"recipients": count("Recipients")}),
    **WRITE,
)
def send_report(arguments: Arguments, ctx: CallContext) -> Json:
    recipients = arguments.get("to") or []
    with transaction.atomic():
        report = find(Report, arguments["report"])
        end(report, Status.DONE, refusal=f"{report.number} was discarded.")
        if recipients:
            post(ctx, to=", ".join(recipients), subject=f"Report {report.number}", text=_letter(report, arguments))
    return {"recipients": len(recipients)}


def _letter(report: Report, arguments: Arguments) -> str:
    lines = [f"{region}: {sales}" for region, sales in report.figures.items()]
    if checked_by := arguments.get("checked_by"):
        lines.append(f"Looked at by {checked_by}. {arguments.get('remark') or ''}".strip())
    return "\n".join(lines)
